import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import { createExampleResultHeaders } from '../http/page-headers.ts';
import { createRevalidatedAsset, type StaticAsset, sendStaticAsset } from '../http/static-asset.ts';
import { EXAMPLES_FOLDER } from './example-pages.ts';

const EXAMPLE_SAMPLE = join(EXAMPLES_FOLDER, 'sample.glb');

/** The sample of the examples as a model of the viewer. It has variants, an animation and named parts. */
export const EXAMPLE_SAMPLE_MODEL = {
  url: '/docs/examples/files/sample.glb',
  bytes: statSync(EXAMPLE_SAMPLE).size,
};

/**
 * The document around the result of an example. It gets the edited page from /docs/examples and shows it by a
 * `data:` URL: such a page has no origin, so its code reaches nothing of this service. It is not sandboxed
 * without `allow-same-origin`, because then the embeds in it would have no origin either and load nothing.
 */
const SCRIPT = `
addEventListener('message', ({ source, origin, data }) => {
  if (source !== parent || origin !== location.origin || typeof data !== 'string') return;
  const frame = document.createElement('iframe');
  frame.title = document.title;
  frame.sandbox = 'allow-scripts allow-same-origin allow-downloads';
  frame.allow = 'fullscreen';
  frame.src = 'data:text/html;charset=utf-8,' + encodeURIComponent(data);
  document.body.replaceChildren(frame);
});
parent.postMessage('ready', location.origin);
`.trim();
const STYLE = 'body{margin:0}iframe{display:block;width:100%;height:100vh;border:0}';

const RESULT_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Result</title>
<style>${STYLE}</style>
</head>
<body>
<script>${SCRIPT}</script>
</body>
</html>
`;

const RESULT = createRevalidatedAsset('text/html; charset=utf-8', RESULT_HTML);
let files: readonly [name: string, asset: StaticAsset][] | undefined;

/** What the examples load: the document of their results, pictures, the sample and the modules. */
export const exampleRoutes: FastifyPluginAsync<{ publicUrl: string; reactModule: string }> = async (
  app,
  { publicUrl, reactModule },
) => {
  const headers = createExampleResultHeaders(publicUrl);
  app.get(
    '/result',
    { config: { auth: 'public', produces: ['text/html'] }, schema: { hide: true } },
    async (request, reply) => sendStaticAsset(request, reply.headers(headers), RESULT),
  );
  const react = createAssetForAllOrigins('text/javascript; charset=utf-8', reactModule);
  for (const [name, asset] of [['react.mjs', react] as const, ...getFiles()]) {
    app.get(
      `/files/${name}`,
      { config: { auth: 'public', produces: ['*/*'] }, schema: { hide: true } },
      async (request, reply) => sendStaticAsset(request, reply, asset),
    );
  }
};

/** Returns the files that are the same for all apps of a process. They are read once. */
function getFiles(): readonly [name: string, asset: StaticAsset][] {
  files ??= [
    ['table.webp', readForAllOrigins('image/webp', join(EXAMPLES_FOLDER, 'table.webp'))],
    ['sample.glb', readForAllOrigins('model/gltf-binary', EXAMPLE_SAMPLE)],
  ];
  return files;
}

function readForAllOrigins(type: string, path: string): StaticAsset {
  return createAssetForAllOrigins(type, readFileSync(path));
}

/** The pages of the examples have another origin, or none. */
function createAssetForAllOrigins(type: string, body: string | Buffer): StaticAsset {
  return Object.assign(createRevalidatedAsset(type, body), { isForAllOrigins: true });
}
