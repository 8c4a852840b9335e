import { damaged } from '../damaged.ts';
import { grouped, type Limits, limit } from '../limits.ts';
import { quote } from '../quote.ts';
import { blocksOf, type Source } from '../source.ts';
import { checkUnfolding, type Fold } from './unfold.ts';
import { attributeOf, eachTag } from './xml.ts';

/** Elements that say how many of something follow. */
const COUNTING: ReadonlySet<string> = new Set([
  ...['float_array', 'int_array', 'bool_array', 'Name_array', 'IDREF_array', 'accessor'],
  ...['triangles', 'trifans', 'tristrips', 'polylist', 'polygons', 'lines', 'linestrips'],
  'vertex_weights',
]);
const ROOT = 'the scene';

/** Checks a COLLADA file: counts it has room for, and nodes that do not hold themselves. */
export async function checkCollada(file: Source, limits: Limits): Promise<void> {
  const nodes = new Map<string, Fold>([[ROOT, { triangles: 0, parts: [] }]]);
  const path: string[] = [];
  let count = 0;
  let isCollada = false;
  await eachTag(blocksOf(file), limits, {
    open(name, tag) {
      isCollada ||= name === 'COLLADA';
      if (COUNTING.has(name)) checkCount(name, tag, file.size);
      if (name === 'node') {
        const key = `node ${++count}`;
        limit('nodes', count, limits);
        nodes.set(key, { triangles: 0, parts: [] });
        nodes.get(path.at(-1) ?? ROOT)?.parts.push(key);
        path.push(key);
        const id = attributeOf(tag, 'id');
        if (id !== undefined) shared(nodes, `#${id}`).parts.push(key);
      } else if (name === 'instance_node') {
        const url = attributeOf(tag, 'url') ?? '';
        nodes.get(path.at(-1) ?? ROOT)?.parts.push(url);
      }
    },
    close(name) {
      if (name === 'node') path.pop();
    },
  });
  if (!isCollada) damaged('xml', 'The XML has no COLLADA element');
  checkUnfolding(nodes, [ROOT], limits);
}

/** What an id stands for: more than one node in files that are not quite right. */
function shared(nodes: Map<string, Fold>, url: string): Fold {
  const fold = nodes.get(url) ?? { triangles: 0, parts: [] };
  nodes.set(url, fold);
  return fold;
}

function checkCount(name: string, tag: string, fileBytes: number): void {
  const text = attributeOf(tag, 'count');
  if (text === undefined) return;
  const count = Number(text);
  // Each takes a digit and a space.
  if (Number.isInteger(count) && count >= 0 && 2 * count <= fileBytes) return;
  const says = Number.isNaN(count) ? quote(text) : grouped(count);
  damaged('count', `The COLLADA has a ${name} of ${says}, more than the file has room for`);
}
