import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import { createExampleResultHeaders } from '../http/page-headers.ts';
import { createRevalidatedAsset, sendStaticAsset } from '../http/static-asset.ts';
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

/** What the examples load: the document of their results, pictures, the sample and the modules. */
export const exampleRoutes: FastifyPluginAsync<{ publicUrl: string; reactModule: string }> = async (
  app,
  { publicUrl, reactModule },
) => {
  const headers = createExampleResultHeaders(publicUrl);
  const result = createRevalidatedAsset('text/html; charset=utf-8', RESULT_HTML);
  app.get(
    '/result',
    { config: { auth: 'public', produces: ['text/html'] }, schema: { hide: true } },
    async (request, reply) => sendStaticAsset(request, reply.headers(headers), result),
  );
  const files: [name: string, type: string, body: string | Buffer][] = [
    ['react.mjs', 'text/javascript; charset=utf-8', reactModule],
    ['table.webp', 'image/webp', readFileSync(join(EXAMPLES_FOLDER, 'table.webp'))],
    ['sample.glb', 'model/gltf-binary', readFileSync(EXAMPLE_SAMPLE)],
  ];
  for (const [name, type, body] of files) {
    // The pages of the examples have another origin, or none.
    const asset = Object.assign(createRevalidatedAsset(type, body), { isForAllOrigins: true });
    app.get(
      `/files/${name}`,
      { config: { auth: 'public', produces: ['*/*'] }, schema: { hide: true } },
      async (request, reply) => sendStaticAsset(request, reply, asset),
    );
  }
};
