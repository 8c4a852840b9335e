import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** One built file of the viewer, in the forms it is sent in. */
export type ViewerAsset = {
  contentType: string;
  identity: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
};

/** The built viewer: the document's template, what its policy must allow, and the files it loads. */
export type ViewerBuild = {
  template: string;
  scriptHashes: readonly string[];
  styleHashes: readonly string[];
  assets: ReadonlyMap<string, ViewerAsset>;
};

const CONTENT_TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  wasm: 'application/wasm',
  webp: 'image/webp',
  bin: 'application/octet-stream',
};

const ENCODINGS = ['br', 'gzip'] as const;

/** Reads `viewer/dist` into memory, once. @throws when the viewer was not built */
export async function readViewerBuild(folder: string): Promise<ViewerBuild> {
  const template = await readFile(join(folder, 'framed-document.html'), 'utf8');
  const { scriptHashes, styleHashes } = JSON.parse(
    await readFile(join(folder, 'csp-hashes.json'), 'utf8'),
  );
  const assets = new Map<string, ViewerAsset>();
  const names = await readdir(join(folder, 'assets'));
  for (const name of names) {
    const contentType = CONTENT_TYPES[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    const [identity, br, gzip] = await Promise.all(
      ['', '.br', '.gz'].map((ending) => readIfExists(join(folder, 'assets', name + ending))),
    );
    if (identity !== undefined) assets.set(name, { contentType, identity, br, gzip });
  }
  return { template, scriptHashes, styleHashes, assets };
}

function readIfExists(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

/** Sends a viewer file, as small as the client can read it. Names hold hashes: it never changes. */
export function sendViewerAsset(request: FastifyRequest, reply: FastifyReply, file?: ViewerAsset) {
  if (file === undefined) throw new Problem('embed.asset');
  const readable = new Negotiator(request.raw).encodings([...ENCODINGS]);
  const coding = ENCODINGS.find((one) => file[one] !== undefined && readable.includes(one));
  if (coding !== undefined) reply.header('content-encoding', coding);
  return reply
    .headers({
      'content-type': file.contentType,
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    .send(coding === undefined ? file.identity : file[coding]);
}
