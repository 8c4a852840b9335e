import {
  assertWithinLimit,
  formatNumber,
  type ValidationLimits,
} from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { type ReferenceNode, validateReferences } from '../../validation/reference-expansion.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';
import { getRawAttribute, visitXmlTags } from '../../validation/xml-tag-visitor.ts';

/** Elements that say how many of something follow. */
const COUNTED_ELEMENTS: ReadonlySet<string> = new Set([
  ...['float_array', 'int_array', 'bool_array', 'Name_array', 'IDREF_array', 'accessor'],
  ...['triangles', 'trifans', 'tristrips', 'polylist', 'polygons', 'lines', 'linestrips'],
  'vertex_weights',
]);
const SCENE_KEY = 'the scene';

/** Checks a COLLADA file: counts it has room for, and nodes that do not hold themselves. */
export async function validateDae(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const nodes = new Map<string, ReferenceNode>([[SCENE_KEY, { triangleCount: 0, references: [] }]]);
  const path: string[] = [];
  let count = 0;
  let isCollada = false;
  await visitXmlTags(readBlocks(file), limits, {
    open(name, tag) {
      isCollada ||= name === 'COLLADA';
      if (COUNTED_ELEMENTS.has(name)) validateCount(name, tag, file.size);
      if (name === 'node') {
        const key = `node ${++count}`;
        assertWithinLimit('nodes', count, limits);
        nodes.set(key, { triangleCount: 0, references: [] });
        nodes.get(path.at(-1) ?? SCENE_KEY)?.references.push(key);
        path.push(key);
        const id = getRawAttribute(tag, 'id');
        if (id !== undefined) getOrCreateReference(nodes, `#${id}`).references.push(key);
      } else if (name === 'instance_node') {
        const url = getRawAttribute(tag, 'url') ?? '';
        nodes.get(path.at(-1) ?? SCENE_KEY)?.references.push(url);
      }
    },
    close(name) {
      if (name === 'node') path.pop();
    },
  });
  if (!isCollada) throwUnreadable('xml', 'The XML has no COLLADA element');
  validateReferences(nodes, [SCENE_KEY], limits);
}

/** What an id stands for: more than one node in files that are not quite right. */
function getOrCreateReference(nodes: Map<string, ReferenceNode>, url: string): ReferenceNode {
  const fold = nodes.get(url) ?? { triangleCount: 0, references: [] };
  nodes.set(url, fold);
  return fold;
}

function validateCount(name: string, tag: string, fileBytes: number): void {
  const text = getRawAttribute(tag, 'count');
  if (text === undefined) return;
  const count = Number(text);
  // Each takes a digit and a space.
  if (Number.isInteger(count) && count >= 0 && 2 * count <= fileBytes) return;
  const says = Number.isNaN(count) ? quoteUntrusted(text) : formatNumber(count);
  throwUnreadable('count', `The COLLADA has a ${name} of ${says}, more than the file has room for`);
}
