import { EmbedSnippet, EmbedWish } from '@cloche/contract/embed';
import { designIdOf } from '@cloche/contract/id';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { asBlobRef, type Blobs } from '../blobs/blobs.ts';
import type { Artifact } from '../designs/design.ts';
import { getDesign } from '../designs/routes.ts';
import { asProblem, isOurFault, replyWithProblem } from '../http/failures.ts';
import { sendBlob } from '../http/files.ts';
import type { PublicHost } from '../http/hosts.ts';
import { makeReady, readyOnce, sendReady } from '../http/ready.ts';
import { choose } from '../http/routes.ts';
import { admit, type Shelves } from './admit.ts';
import { admitToAsset } from './assets.ts';
import { readVisit } from './gate.ts';
import type { Grants } from './grant.ts';
import { type Document, FramedPage } from './page.ts';
import { REFUSAL_HEADERS, refusalPage } from './refusal.ts';
import { Snippets } from './snippet.ts';
import type { ViewerFiles } from './viewer-files.ts';
import { sendViewerFile } from './viewer-files.ts';

type Given = Shelves & {
  blobs: Blobs;
  grants: Grants;
  viewer: ViewerFiles;
  publicHost: PublicHost;
  now: () => Date;
};

const HTML_OR_JSON = ['text/html', 'application/json'];
const HTML = 'text/html; charset=utf-8';
const SNIPPET_HEADERS = {
  vary: 'accept',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const ASSET_TYPES = ['model/gltf-binary', 'image/webp'] as const;
/** The address says what the bytes are, so they are good for ever. */
const KEPT = {
  'cache-control': 'private, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};
const ASSET_HEADERS = {
  'model/gltf-binary': { ...KEPT, 'content-type': 'model/gltf-binary' },
  'image/webp': { ...KEPT, 'content-type': 'image/webp' },
};
const tags = ['embed'];

/** /embed: the snippet, the framed document behind the gate, and what that document loads. */
export const embedRoutes: FastifyPluginAsyncTypebox<Given> = async (app, given) => {
  const { designs, grants, publicHost, viewer, blobs, now } = given;
  const page = new FramedPage(viewer, grants);
  const snippets = new Snippets(publicHost.origin);
  const documentOf = readyOnce(({ headers, html }: Document) => makeReady(headers, html));
  const htmlOf = readyOnce(({ html }: EmbedSnippet) =>
    makeReady({ ...SNIPPET_HEADERS, 'content-type': HTML }, html),
  );

  app.post(
    '/iframe/v1',
    {
      config: { needs: ['read', 'embed'], produces: HTML_OR_JSON },
      schema: {
        tags,
        summary: 'Get the HTML for a design',
        description:
          'Step 2 of 4: the HTML to paste, with a placeholder where the token goes. With `Accept: application/json` its parts.',
        body: EmbedWish,
        produces: HTML_OR_JSON,
        response: {
          200: {
            description: 'The snippet',
            content: {
              'text/html': { schema: Type.String() },
              'application/json': { schema: EmbedSnippet },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const design = await getDesign(designs, request.caller, designIdOf(request.body.uri));
      const snippet = snippets.of(design);
      if (choose(request, HTML_OR_JSON) === 'text/html') return sendReady(reply, htmlOf(snippet));
      return reply.headers(SNIPPET_HEADERS).send(snippet);
    },
  );

  app.get(
    '/iframe/v1/:designId',
    {
      config: { needs: 'nothing', produces: HTML_OR_JSON },
      schema: {
        tags,
        summary: 'The framed document',
        description: 'Asked for by the browser of a visitor, in an iframe of a listed page.',
        security: [{ embedToken: [] }],
        // Checked by the gate, which explains itself to people.
        params: Type.Object({
          designId: Type.String({ description: 'The id of the design: a UUID.' }),
        }),
        produces: ['text/html'],
      },
      errorHandler: (error, request, reply) => refuse(error, request, reply, publicHost),
    },
    async (request, reply) => {
      const { token: text } = request.query as Record<string, unknown>;
      const time = now();
      const admission = await admit(
        {
          tokenText: typeof text === 'string' ? text : '',
          designId: request.params.designId,
          visit: readVisit(request.headers),
        },
        given,
        time,
      );
      given.tokens.noteUse(admission.token.id, time);
      return sendReady(reply, documentOf(page.write(admission, time)));
    },
  );

  app.get(
    '/assets/:file',
    {
      config: { needs: 'nothing', produces: ASSET_TYPES },
      schema: {
        tags,
        summary: 'A file of a design, for the framed document',
        security: [{ grant: [] }],
        params: Type.Object({
          file: Type.String({ description: 'The SHA-256, then `.glb` or, for pictures, `.webp`.' }),
        }),
        produces: ASSET_TYPES,
      },
    },
    async (request, reply) => {
      const ref = asBlobRef(request.params.file.replace(/\.(glb|webp)$/, ''));
      if (ref === undefined) throw new Problem('embed.asset');
      const artifact = await admitToAsset(request, ref, given);
      const headers = ASSET_HEADERS[typeOf(artifact)];
      return sendBlob(request, reply, { blobs, ref, bytes: artifact.bytes, headers });
    },
  );

  app.get(
    '/viewer/:file',
    {
      config: { needs: 'nothing', produces: ['*/*'] },
      schema: { tags, hide: true, params: Type.Object({ file: Type.String() }) },
    },
    async (request, reply) =>
      sendViewerFile(request, reply, viewer.assets.get(request.params.file)),
  );
};

/** What a file is, whatever its address says. */
function typeOf({ kind }: Artifact): (typeof ASSET_TYPES)[number] {
  return kind.startsWith('poster') ? 'image/webp' : 'model/gltf-binary';
}

/**
 * A document that loads itself anew sends no Referer. The gate then needs `Sec-Fetch-Dest`, which
 * browsers do not send to a plain http origin.
 */
function refreshable({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-dest'] !== undefined;
}

/** A refusal is a page for people, unless the client prefers JSON. */
function refuse(error: Error, request: FastifyRequest, reply: FastifyReply, own: PublicHost) {
  const { accept = '' } = request.headers;
  const wantsJson =
    /\bapplication\/(problem\+)?json\b/.test(accept) && !accept.includes('text/html');
  if (wantsJson) return replyWithProblem(error, request, reply);
  const problem = asProblem(error);
  if (isOurFault(problem)) {
    request.log.error({ reqId: request.id, err: error }, problem.code);
    reply.header('x-request-id', request.id);
  }
  const refreshS = refreshable(request) ? problem.retryAfterS : undefined;
  if (refreshS !== undefined) reply.header('refresh', refreshS);
  const page = refusalPage(problem, own.origin, refreshS);
  return reply.code(problem.status).headers(REFUSAL_HEADERS).send(page);
}
