import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { assertWithinLimit, formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../../validation/file-head.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { type ReferenceNode, validateReferences } from '../../validation/reference-expansion.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import type { ValidatedContent } from '../../validation/validated-content.ts';
import { visitXmlTags, type XmlTag } from '../../validation/xml.ts';
import { DaeMeshCounter, getGeometryKey } from './mesh-counter.ts';

/** Elements whose `count` attribute is the number of items that follow. */
const COUNTED_ELEMENTS: ReadonlySet<string> = new Set([
  ...['float_array', 'int_array', 'bool_array', 'Name_array', 'IDREF_array', 'accessor'],
  ...['triangles', 'trifans', 'tristrips', 'polylist', 'polygons', 'lines', 'linestrips'],
  'vertex_weights',
]);
const SCENE_KEY = 'the scene';

/** Recognizes a COLLADA file, which may begin with comments of any length. */
export function sniffDae({ text }: FileHead): SniffEvidence | undefined {
  return /<COLLADA/i.test(text) ? 'tag' : undefined;
}

/**
 * Validates a COLLADA: the file is long enough for its counts, and no node contains itself.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateDae(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<ValidatedContent> {
  const graph = new DaeNodeGraph(limits);
  const meshes = new DaeMeshCounter(limits);
  let isCollada = false;
  await visitXmlTags(readBlocks(file), limits, {
    open(tag) {
      isCollada ||= tag.localName === 'COLLADA';
      if (COUNTED_ELEMENTS.has(tag.localName)) validateCount(tag, file.size);
      graph.open(tag);
      meshes.open(tag);
    },
    text: (text) => meshes.addText(text),
    close(localName) {
      graph.close(localName);
      meshes.close(localName);
    },
  });
  if (!isCollada) throwUnreadable('xml', 'The XML has no COLLADA element');
  const parts = new Map([...graph.resolveReferences(), ...meshes.geometries]);
  validateReferences(parts, [SCENE_KEY], limits);
  return { decodedBytes: file.size + meshes.triangulationBytes };
}

/** The nodes of a COLLADA file and their references to each other. */
class DaeNodeGraph {
  readonly #limits: ValidationLimits;
  readonly #nodes = new Map<string, ReferenceNode>([
    [SCENE_KEY, { triangleCount: 0, references: [] }],
  ]);
  readonly #libraryUrls = new Set<string>();
  readonly #nodesByName: [url: string, key: string][] = [];
  /** Keys of the nodes that are open, outermost first. */
  readonly #path: string[] = [];
  #isInLibrary = false;
  #nodeCount = 0;

  constructor(limits: ValidationLimits) {
    this.#limits = limits;
  }

  open(tag: XmlTag): void {
    if (tag.localName === 'library_nodes') this.#isInLibrary = true;
    else if (tag.localName === 'node') this.#openNode(tag);
    else if (tag.localName === 'instance_node') this.#addToParent(tag.getAttribute('url') ?? '');
    else if (tag.localName === 'instance_geometry' || tag.localName === 'instance_controller')
      this.#addToParent(getGeometryKey(tag.getAttribute('url')));
  }

  close(localName: string): void {
    if (localName === 'library_nodes') this.#isInLibrary = false;
    else if (localName === 'node') this.#path.pop();
  }

  /**
   * Returns the nodes by key and by URL. assimp also finds a node by its name in the fragment of a URL,
   * unless the fragment is the id of a node in library_nodes.
   */
  resolveReferences(): ReadonlyMap<string, ReferenceNode> {
    for (const [url, key] of this.#nodesByName)
      if (!this.#libraryUrls.has(url)) this.#getOrCreate(url).references.push(key);
    return this.#nodes;
  }

  #openNode(tag: XmlTag): void {
    assertWithinLimit('nodes', ++this.#nodeCount, this.#limits);
    const key = `node ${this.#nodeCount}`;
    this.#nodes.set(key, { triangleCount: 0, references: [] });
    this.#addToParent(key);
    const id = tag.getAttribute('id');
    const name = tag.getAttribute('name');
    // Invalid files have several nodes with the same id.
    if (id !== undefined) this.#getOrCreate(`#${id}`).references.push(key);
    if (id !== undefined && this.#isInLibrary && this.#path.length === 0)
      this.#libraryUrls.add(`#${id}`);
    if (name !== undefined && name !== id) this.#nodesByName.push([`#${name}`, key]);
    this.#path.push(key);
  }

  #addToParent(reference: string): void {
    this.#nodes.get(this.#path.at(-1) ?? SCENE_KEY)?.references.push(reference);
  }

  #getOrCreate(url: string): ReferenceNode {
    const node = this.#nodes.get(url) ?? { triangleCount: 0, references: [] };
    this.#nodes.set(url, node);
    return node;
  }
}

function validateCount(tag: XmlTag, fileBytes: number): void {
  const text = tag.getAttribute('count');
  if (text === undefined) return;
  const count = Number(text);
  // An item is at least a digit and a space.
  if (Number.isInteger(count) && count >= 0 && 2 * count <= fileBytes) return;
  const declared = Number.isNaN(count) ? quoteUntrusted(text) : formatNumber(count);
  throwUnreadable(
    'count',
    `The COLLADA declares a ${tag.localName} of ${declared} items, more than fit in the file`,
  );
}
