import {
  assertWithinLimit,
  formatNumber,
  type ValidationLimits,
} from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { type ReferenceNode, validateReferences } from '../../validation/reference-expansion.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { decodeXmlEntities } from '../../validation/xml-tag-reader.ts';
import { getRawAttribute, visitXmlTags } from '../../validation/xml-tag-visitor.ts';

/** Elements with a `count` attribute for the values that follow. */
const COUNTED_ELEMENTS: ReadonlySet<string> = new Set([
  ...['float_array', 'int_array', 'bool_array', 'Name_array', 'IDREF_array', 'accessor'],
  ...['triangles', 'trifans', 'tristrips', 'polylist', 'polygons', 'lines', 'linestrips'],
  'vertex_weights',
]);
const SCENE_KEY = 'the scene';

/** Validates a COLLADA file: that it is long enough for its counts, and has no cycle of nodes. */
export async function validateDae(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const nodes = new Map<string, ReferenceNode>([[SCENE_KEY, { triangleCount: 0, references: [] }]]);
  const path: string[] = [];
  let count = 0;
  let isCollada = false;
  const addToParent = (key: string) => nodes.get(path.at(-1) ?? SCENE_KEY)?.references.push(key);
  await visitXmlTags(readBlocks(file), limits, {
    open(name, tag) {
      isCollada ||= name === 'COLLADA';
      if (COUNTED_ELEMENTS.has(name)) validateCount(name, tag, file.size);
      if (name === 'node') {
        const key = `node ${++count}`;
        assertWithinLimit('nodes', count, limits);
        nodes.set(key, { triangleCount: 0, references: [] });
        addToParent(key);
        path.push(key);
        const id = getAttribute(tag, 'id');
        if (id !== undefined) getOrCreateNode(nodes, `#${id}`).references.push(key);
      } else if (name === 'instance_node') addToParent(getAttribute(tag, 'url') ?? '');
    },
    close(name) {
      if (name === 'node') path.pop();
    },
  });
  if (!isCollada) throwUnreadable('xml', 'The XML has no COLLADA element');
  validateReferences(nodes, [SCENE_KEY], limits);
}

/** Entities are decoded as in the library: `&#35;a` refers to the same node as `#a`. */
function getAttribute(tag: string, name: string): string | undefined {
  const value = getRawAttribute(tag, name);
  return value === undefined ? undefined : decodeXmlEntities(value);
}

/** The node that stands for an id. Invalid files use one id for several nodes: it refers to all. */
function getOrCreateNode(nodes: Map<string, ReferenceNode>, url: string): ReferenceNode {
  const node = nodes.get(url) ?? { triangleCount: 0, references: [] };
  nodes.set(url, node);
  return node;
}

function validateCount(name: string, tag: string, fileBytes: number): void {
  const text = getRawAttribute(tag, 'count');
  if (text === undefined) return;
  const count = Number(text);
  // Each value takes a digit and a space.
  if (Number.isInteger(count) && count >= 0 && 2 * count <= fileBytes) return;
  const declared = Number.isNaN(count) ? quoteUntrusted(text) : formatNumber(count);
  throwUnreadable(
    'count',
    `The COLLADA file declares a ${name} with count ${declared}, which does not fit in the file`,
  );
}
