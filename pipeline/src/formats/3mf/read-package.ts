import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { readXmlTags } from '../../validation/xml.ts';
import type { ModelArchive } from '../../validation/zip/model-archive.ts';
import { throw3mfError } from './error.ts';
import { type ModelPart, parseModelPart } from './model-part.ts';

const MODEL_RELATIONSHIP = /\/3dmodel$/;

/** Finds the path of the root model part, which the relationships of the package name. */
export async function findRootModelPart(archive: ModelArchive): Promise<string> {
  const relationships = archive.find('_rels/.rels');
  if (relationships !== undefined) {
    for (const tag of readXmlTags((await archive.read(relationships)).toString('utf8'))) {
      if (!MODEL_RELATIONSHIP.test(tag.getAttribute('Type') ?? '')) continue;
      const path = archive.find(tag.getAttribute('Target') ?? '');
      if (path !== undefined) return path;
    }
  }
  return archive.find('3D/3dmodel.model') ?? throw3mfError('it has no model file');
}

/** Reads the root model part and all parts that its objects refer to, by their paths. */
export async function readModelParts(
  archive: ModelArchive,
  rootPath: string,
): Promise<Map<string, ModelPart>> {
  const parts = new Map<string, ModelPart>();
  const pending = [rootPath];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (parts.has(path)) continue;
    const part = parseModelPart((await archive.read(path)).toString('utf8'));
    parts.set(path, part);
    const references = [
      ...part.buildItems,
      ...[...part.objects.values()].flatMap(({ components }) => components),
    ];
    for (const reference of references) {
      if (reference.path === undefined) continue;
      reference.path =
        archive.find(reference.path) ??
        throw3mfError(`it has no file ${quoteUntrusted(reference.path)}`);
      pending.push(reference.path);
    }
  }
  return parts;
}
