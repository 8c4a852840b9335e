const MIB = 1024 * 1024;

/** The limits on what a design may decode to, with labels for messages. Beyond: design.too-complex. */
const LIMITS = {
  /** Enough for 100 000 nodes with names and properties, or for a few images as data: URIs. */
  jsonBytes: { max: 32 * MIB, label: 'bytes of JSON' },
  /** glTF itself needs 9 levels; `extras` of content tools reach 30. */
  jsonDepth: { max: 100, label: 'levels of nested JSON' },
  /** A parsed value takes 20-60 bytes, so this is at most about 100 MB. */
  jsonValues: { max: 2_000_000, label: 'JSON values' },
  /**
   * Distinct member names. JSON parsers create a hidden class for each new object shape: V8
   * takes seven seconds for a million names in 16 MB. glTF defines 200; the rest is for `extras`.
   */
  jsonKeys: { max: 4000, label: 'different names of JSON members' },
  /** Each is an object in the visitor's scene graph; large CAD assemblies have about 50 000. */
  nodes: { max: 100_000, label: 'nodes' },
  /** The viewer traverses the scene graph recursively; long bone chains reach 200. */
  nodeDepth: { max: 512, label: 'levels of nodes' },
  /** Draw calls: phones become slow at 5 000, workstations at 50 000. */
  draws: { max: 100_000, label: 'primitives to draw' },
  /** Instances of EXT_mesh_gpu_instancing: 64 MB of matrices. */
  instances: { max: 1_000_000, label: 'instances' },
  /** Drawn in every frame: about ten times what a good desktop renders smoothly. */
  triangles: { max: 50_000_000, label: 'triangles to draw' },
  /** Of one primitive. Face rigs have 52, baked animations some hundred. */
  morphTargets: { max: 500, label: 'morph targets' },
  /** Of one polygon. Triangulation takes quadratic time; outlines of letters and maps have less. */
  polygonCorners: { max: 4096, label: 'corners in one polygon' },
  vertices: { max: 50_000_000, label: 'vertices' },
  /** Geometry and animation as the browser stores it: a tab of a 32-bit phone has 1-2 GB. */
  geometryBytes: { max: 1024 * MIB, label: 'bytes of decoded geometry' },
  /** Accessors without stored data: enough for 200 sparse morph targets of 50 000 vertices. */
  emptyBytes: { max: 256 * MIB, label: 'bytes of arrays without data' },
  /** The largest texture of WebGL on desktops. */
  imageSide: { max: 16_384, label: 'pixels along one side of an image' },
  /** Sixteen textures of 4096 × 4096: 1 GiB as RGBA. */
  pixels: { max: 16 * 4096 * 4096, label: 'pixels of decoded images' },
  /** Decoded bytes for each stored byte, above an allowance. Compressed flat grids reach 1000. */
  expansion: { max: 2000, label: 'decoded bytes for each stored byte' },
  /** Tools that write a material for each part write a few hundred. */
  materials: { max: 20_000, label: 'materials' },
  /** A .gltf with its data: URIs. Parsing takes twice that: the text and its values. */
  gltfBytes: { max: 128 * MIB, label: 'bytes of glTF text' },

  /** Including folders. Scans with a texture for each tile have a few hundred. */
  archiveEntries: { max: 2000, label: 'entries in its archive' },
  /** Uncompressed, all entries together. */
  archiveBytes: { max: 1024 * MIB, label: 'uncompressed bytes in its archive' },
  /** Uncompressed bytes for each compressed byte, above an allowance: deflate reaches 1032. */
  inflation: { max: 200, label: 'uncompressed bytes for each compressed byte' },
  /** The binary files of a glTF in an archive. They are kept in memory during validation. */
  archiveBuffers: { max: 256 * MIB, label: 'bytes of uncompressed glTF buffers' },

  /** The longest lines of valid text files are faces with a few hundred corners. */
  lineBytes: { max: MIB, label: 'bytes in one line' },
  /** One tag with its attributes. */
  tagBytes: { max: 64 * 1024, label: 'bytes in one tag' },
  /** As many levels of nodes as in a glTF, and the elements around them. */
  xmlDepth: { max: 600, label: 'levels of nested elements' },
  /** Each takes about 200 bytes in an XML library; a 3MF of six million triangles has ten million. */
  xmlElements: { max: 20_000_000, label: 'elements' },
  /** Nested parentheses: rational splines need 4, and STEP libraries recurse. */
  stepDepth: { max: 16, label: 'levels of parentheses' },
  /** Each takes about 100 bytes in a STEP library; files of 500 MB have this many. */
  stepEntities: { max: 10_000_000, label: 'entities' },
  /** A string in quotation marks; descriptions reach 4 kB. */
  stepTextBytes: { max: 256 * 1024, label: 'bytes in one string' },
  /** Of a STEP, with assemblies expanded. A face is at least ten triangles where it is curved. */
  faces: { max: 5_000_000, label: 'faces' },
  /** Of an IFC, with mapped items expanded. Models of large buildings have 100 000. */
  shapes: { max: 1_000_000, label: 'shapes' },
  /**
   * Of one product of an IFC: the sizes of the results of all its boolean operations, in shapes. A shape that is combined with itself twelve times has 50 000;
   * one from which 400 others are subtracted one by one 80 000, and takes half a minute.
   */
  combinations: { max: 100_000, label: 'shapes combined by the boolean operations of one product' },
  /** Of one curve of an IFC that is made of curves. Twice as many take ten times as long. */
  curveSegments: { max: 500, label: 'segments in a curve of curves' },
  /** Nested records; scenes need 8. */
  fbxDepth: { max: 64, label: 'levels of nested records' },
  /** Records, without animation keys: large scenes have about 500 000. */
  fbxRecords: { max: 5_000_000, label: 'records' },
} as const satisfies Record<string, { max: number; label: string }>;

/** The name of a limit. In kebab case it is the `reason` of design.too-complex. */
export type LimitName = keyof typeof LIMITS;

/** The maximum of each limit. */
export type ValidationLimits = { readonly [name in LimitName]: number };

/** The limits in production. Tests pass smaller ones. */
export const VALIDATION_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { max }]) => [name, max]),
) as ValidationLimits;

/** Returns what a limit counts, to follow a number: '3 nodes'. */
export function getLimitLabel(name: LimitName): string {
  return LIMITS[name].label;
}
