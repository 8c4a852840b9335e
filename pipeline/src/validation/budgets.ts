import { Problem } from '@cloche/contract/problem';
import type { JsonNode } from './json-node.ts';

const MIB = 1024 * 1024;

/** The most a design may decode to; beyond any of these it is refused as too complex. */
export const VALIDATION_LIMITS = {
  /** Room for 100 000 nodes with names and properties, or for a few images as data: URIs. */
  jsonBytes: 32 * MIB,
  /** glTF itself needs 9 levels; `extras` of content tools have been seen at 30. */
  jsonDepth: 100,
  /** Parsed, a value takes some 20-60 bytes: about 100 MB at worst. */
  jsonValues: 2_000_000,
  /**
   * Different names of members. Parsers make a hidden class of each new shape of object: a million
   * names in 16 MB kept V8 busy for seven seconds. glTF has 200; the rest is for `extras`.
   */
  jsonKeys: 4000,
  /** Each is an object in the visitor's scene graph; large CAD assemblies have some 50 000. */
  nodes: 100_000,
  /** Scene graphs are walked recursively in the browser; long bone chains reach 200. */
  nodeDepth: 512,
  /** Draw calls: phones choke at 5 000, workstations at 50 000. */
  draws: 100_000,
  /** Copies drawn by instancing: 64 MB of matrices. */
  instances: 1_000_000,
  /** Drawn in every frame: some ten times what a good desktop does fluently. */
  triangles: 50_000_000,
  vertices: 50_000_000,
  /** Geometry and animation as the browser holds it: a tab of a 32-bit phone has 1-2 GB. */
  geometryBytes: 1024 * MIB,
  /** Arrays the file only announces, without data: 200 sparse morph targets of 50 000 vertices. */
  emptyBytes: 256 * MIB,
  /** WebGL on desktops takes textures of this side; nothing shows larger ones. */
  imageSide: 16_384,
  /** Sixteen textures of 4096 × 4096: 1 GiB as RGBA. */
  pixels: 16 * 4096 * 4096,
  /** Decoded bytes for each stored byte, above a small allowance. Flat grids reach 1000. */
  expansion: 2000,
  /** Tools that write one for each part write some hundreds; comparing them takes its time. */
  materials: 20_000,
  /** A .gltf with its data: URIs: parsed, text and values take twice that. */
  gltfBytes: 128 * MIB,

  /** Folders too. Scans with a texture for each tile have some hundreds. */
  archiveEntries: 2000,
  /** Unpacked, all files together. */
  archiveBytes: 1024 * MIB,
  /** Unpacked bytes for each packed byte, above a small allowance: deflate reaches 1032. */
  inflation: 200,
  /** The binary files of a glTF in an archive, unpacked: held in memory while they are checked. */
  archiveBuffers: 256 * MIB,

  /** Lines of text. The longest of honest files are faces of some hundred corners. */
  lineBytes: MIB,
  /** One tag with its attributes. */
  tagBytes: 64 * 1024,
  /** Nodes may be as deep as those of a glTF, and stand in elements of their own. */
  xmlDepth: 600,
  /** Each takes some 200 bytes in the reader; a 3MF of six million triangles has ten million. */
  xmlElements: 20_000_000,
  /** Parentheses within parentheses: rational splines need 4, and readers recurse. */
  stepDepth: 16,
  /** Each takes some 100 bytes in the reader; files of 500 MB have this many. */
  stepEntities: 10_000_000,
  /** Text within quotes; descriptions have been seen at 4 kB. */
  stepTextBytes: 256 * 1024,
  /** Records within records; scenes need 8. */
  fbxDepth: 64,
  /** Records, animation keys not among them: large scenes have some 500 000. */
  fbxRecords: 5_000_000,
} as const satisfies Record<string, number>;

export type ValidationLimits = { readonly [name in keyof typeof VALIDATION_LIMITS]: number };

/** What decoding may always cost, however small the file. */
const EXPANSION_ALLOWANCE_BYTES = 16 * MIB;
/** What unpacking may always cost. */
const INFLATION_ALLOWANCE_BYTES = 32 * MIB;

const LIMIT_LABELS: { readonly [name in keyof ValidationLimits]: string } = {
  jsonBytes: 'bytes of JSON',
  jsonDepth: 'levels of nested JSON',
  jsonValues: 'JSON values',
  jsonKeys: 'different names of JSON members',
  nodes: 'nodes',
  nodeDepth: 'levels of nodes',
  draws: 'primitives to draw',
  instances: 'instances',
  triangles: 'triangles to draw',
  vertices: 'vertices',
  geometryBytes: 'bytes of decoded geometry',
  emptyBytes: 'bytes of arrays without data',
  imageSide: 'pixels along one side of an image',
  pixels: 'pixels of decoded images',
  expansion: 'decoded bytes for each stored byte',
  materials: 'materials',
  gltfBytes: 'bytes of glTF text',
  archiveEntries: 'entries in its archive',
  archiveBytes: 'bytes once unpacked',
  inflation: 'unpacked bytes for each packed byte',
  archiveBuffers: 'bytes of unpacked glTF buffers',
  lineBytes: 'bytes in one line',
  tagBytes: 'bytes in one tag',
  xmlDepth: 'levels of nested elements',
  xmlElements: 'elements',
  stepDepth: 'levels of parentheses',
  stepEntities: 'entities',
  stepTextBytes: 'bytes in one text',
  fbxDepth: 'levels of nested records',
  fbxRecords: 'records',
};

/**
 * Refuses what is beyond a limit.
 *
 * @throws {Problem} design.too-complex, with the limit's name in kebab case as its reason
 */
export function assertWithinLimit(
  name: keyof ValidationLimits,
  amount: number,
  limits: ValidationLimits,
  part?: Pick<JsonNode, 'path'>,
): void {
  if (amount <= limits[name]) return;
  const where = part === undefined ? '' : ` (counted up to ${part.path})`;
  throw new Problem('design.too-complex', {
    detail: `The file has at least ${formatNumber(amount)} ${LIMIT_LABELS[name]}; at most ${formatNumber(limits[name])} are allowed${where}.`,
    reason: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  });
}

/** Refuses data that would unfold to far more than what is stored for it. */
export function assertExpansionRatio(
  decodedBytes: number,
  storedBytes: number,
  limits: ValidationLimits,
  part: JsonNode,
): void {
  const ratio = Math.ceil((decodedBytes - EXPANSION_ALLOWANCE_BYTES) / Math.max(storedBytes, 1));
  assertWithinLimit('expansion', ratio, limits, part);
}

/** The same for what deflate packs: archives, and arrays in an FBX. */
export function assertInflationRatio(
  unpackedBytes: number,
  packedBytes: number,
  limits: ValidationLimits,
): void {
  const ratio = Math.ceil((unpackedBytes - INFLATION_ALLOWANCE_BYTES) / Math.max(packedBytes, 1));
  assertWithinLimit('inflation', ratio, limits);
}

/** Sums of what a file would decode to; refuses at the first that passes its limit. */
export class Budget {
  readonly limits: ValidationLimits;
  readonly #totals = new Map<keyof ValidationLimits, number>();

  constructor(limits: ValidationLimits) {
    this.limits = limits;
  }

  add(name: keyof ValidationLimits, amount: number, part?: Pick<JsonNode, 'path'>): void {
    const sum = (this.#totals.get(name) ?? 0) + amount;
    this.#totals.set(name, sum);
    assertWithinLimit(name, sum, this.limits, part);
  }

  total(name: keyof ValidationLimits): number {
    return this.#totals.get(name) ?? 0;
  }
}

export function formatNumber(amount: number): string {
  return Number.isFinite(amount) ? amount.toLocaleString('en') : 'countless';
}
