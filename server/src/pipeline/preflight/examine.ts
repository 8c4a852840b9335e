import { Problem } from '@cloche/contract/problem';
import type { Stats } from '@cloche/contract/stats';
import { type Examined, FORMATS, type Format } from '../format.ts';
import { examineArchive } from './archive/examine.ts';
import { damaged } from './damaged.ts';
import { checkBrep } from './formats/brep.ts';
import { checkCollada } from './formats/collada.ts';
import { checkFbx } from './formats/fbx.ts';
import { checkFbxText } from './formats/fbx-text.ts';
import { checkIges } from './formats/iges.ts';
import { checkObj } from './formats/obj.ts';
import { checkPly } from './formats/ply.ts';
import { checkStep } from './formats/step.ts';
import { checkBinaryStl, checkTextStl } from './formats/stl.ts';
import { checkGltf } from './gltf.ts';
import { parseJson } from './json.ts';
import { LIMITS, type Limits, limit } from './limits.ts';
import { preflight } from './preflight.ts';
import { isBinaryStl, type Look, sniff } from './sniff.ts';
import { blocksOf, type Source } from './source.ts';

/** What is known of a file before anything opens it; `stats` of what is glTF already. */
export type Examination = { examined: Examined; stats?: Stats };

type Check = (file: Source, limits: Limits, head: Buffer) => Promise<Stats | undefined>;

/** One format, whatever its name and its type say. An archive is told by what is in it. */
const CHECKS: { readonly [format in Exclude<Format, '3mf'>]: Check } = {
  glb: preflight,
  gltf: checkGltfText,
  obj: only((file, limits) => checkObj(blocksOf(file), limits)),
  stl: only((file, limits, head) =>
    isText(head, file.size) ? checkTextStl(file, limits) : checkBinaryStl(file, limits),
  ),
  ply: only(checkPly),
  fbx: only((file, limits, head) =>
    head.toString('latin1', 0, 7) === 'Kaydara'
      ? checkFbx(file, limits)
      : checkFbxText(file, limits),
  ),
  dae: only(checkCollada),
  step: only(checkStep),
  ifc: only(checkStep),
  iges: only(checkIges),
  brep: only(checkBrep),
};

/** Enough to tell every format. */
const HEAD_BYTES = 64 * 1024;

/**
 * Tells a file's format by its bytes, and checks it before any library sees them.
 *
 * Time is linear in the size of the file, unpacked. Memory is a block of 1 MiB, and where there is
 * JSON what that needs; a glTF in an archive is held while it is checked.
 *
 * @throws {Problem} design.unsupported: another format; design.unreadable: damaged, `detail` saying
 *   where; design.too-complex: it would decode to more than `limits`
 */
export async function examine(file: Source, limits: Limits = LIMITS): Promise<Examination> {
  if (file.size === 0) damaged('empty', 'The file is empty');
  const head = await file.read(0, Math.min(file.size, HEAD_BYTES));
  const look = sniff(head, file.size);
  if (look.kind === 'zip') return examineArchive(file, limits);
  if (!Object.hasOwn(CHECKS, look.kind)) return refuse(look);
  const format = look.kind as keyof typeof CHECKS;
  const stats = await CHECKS[format](file, limits, head);
  return { examined: { format }, ...(stats && { stats }) };
}

/** A check that counts nothing: the model is counted when it has become a glTF. */
function only(check: (...ask: Parameters<Check>) => Promise<void>): Check {
  return async (...ask) => void (await check(...ask));
}

async function checkGltfText(file: Source, limits: Limits): Promise<Stats> {
  limit('gltfBytes', file.size, limits);
  const json = parseJson(await file.read(0, file.size), limits);
  return checkGltf({ json, bytes: file.size }, limits);
}

/** Some write "solid" at the start of binary files too. */
function isText(head: Buffer, size: number): boolean {
  if (isBinaryStl(head, size)) return false;
  return (
    /^\s*solid/i.test(head.toString('latin1', 0, 512)) &&
    /facet|endsolid/i.test(head.toString('latin1'))
  );
}

function refuse({ kind, name }: Look): never {
  const names = Object.values(FORMATS).map((format) => format.name);
  throw new Problem('design.unsupported', {
    detail: `This looks like ${name}. Cloche reads ${names.join(', ')}, and zip archives of a glTF or an OBJ with its files.`,
    reason: kind,
  });
}
