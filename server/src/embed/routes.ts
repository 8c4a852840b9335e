import { EmbedRequest, EmbedSnippet } from '@cloche/contract/embed';
import { toDesignId } from '@cloche/contract/id';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type BlobStore, toBlobRef } from '../blobs/blob-store.ts';
import type { Artifact } from '../designs/design.ts';
import { getOwnedDesign } from '../designs/get-owned-design.ts';
import { negotiateMediaType } from '../http/content-negotiation.ts';
import { errorHandler, isServerError, toProblem } from '../http/error-handler.ts';
import { memoizeResponse, prepareResponse, sendPrepared } from '../http/prepared-response.ts';
import type { PublicHost } from '../http/public-host.ts';
import { sendBlob } from '../http/send-blob.ts';
import { parseEmbedContext } from './access-policy.ts';
import type { GrantSigner } from './asset-grant.ts';
import { authorizeAsset } from './authorize-asset.ts';
import { authorizeView, type EmbedStores } from './authorize-view.ts';
import { ERROR_PAGE_HEADERS, renderErrorPage } from './error-page.ts';
import { type FramedDocument, FramedDocumentRenderer } from './framed-document.ts';
import { SnippetCache } from './snippet.ts';
import type { ViewerBuild } from './viewer-build.ts';
import { sendViewerAsset } from './viewer-build.ts';

type EmbedRoutesOptions = EmbedStores & {
  blobs: BlobStore;
  grantSigner: GrantSigner;
  viewer: ViewerBuild;
  publicHost: PublicHost;
  now: () => Date;
};

const HTML_OR_JSON = ['text/html', 'application/json'];
const HTML_CONTENT_TYPE = 'text/html; charset=utf-8';
const SNIPPET_HEADERS = {
  vary: 'accept',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const ASSET_TYPES = ['model/gltf-binary', 'image/webp'] as const;
/** The address says what the bytes are, so they are good for ever. */
const IMMUTABLE_HEADERS = {
  'cache-control': 'private, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};
const ASSET_HEADERS = {
  'model/gltf-binary': { ...IMMUTABLE_HEADERS, 'content-type': 'model/gltf-binary' },
  'image/webp': { ...IMMUTABLE_HEADERS, 'content-type': 'image/webp' },
};
const tags = ['embed'];

/** /embed: the snippet, the framed document behind the gate, and what that document loads. */
export const embedRoutes: FastifyPluginAsyncTypebox<EmbedRoutesOptions> = async (app, given) => {
  const { designs, grantSigner, publicHost, viewer, blobs, now } = given;
  const page = new FramedDocumentRenderer(viewer, grantSigner);
  const snippets = new SnippetCache(publicHost.origin);
  const documentOf = memoizeResponse(({ headers, html }: FramedDocument) =>
    prepareResponse(headers, html),
  );
  const htmlOf = memoizeResponse(({ html }: EmbedSnippet) =>
    prepareResponse({ ...SNIPPET_HEADERS, 'content-type': HTML_CONTENT_TYPE }, html),
  );

  app.post(
    '/iframe/v1',
    {
      config: { auth: ['read', 'embed'], produces: HTML_OR_JSON },
      schema: {
        tags,
        summary: 'Get the HTML for a design',
        description:
          'Step 2 of 4: the HTML to paste, with a placeholder where the token goes. With `Accept: application/json` its parts.',
        body: EmbedRequest,
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
      const design = await getOwnedDesign(designs, request.token, toDesignId(request.body.uri));
      const snippet = snippets.get(design);
      if (negotiateMediaType(request, HTML_OR_JSON) === 'text/html')
        return sendPrepared(reply, htmlOf(snippet));
      return reply.headers(SNIPPET_HEADERS).send(snippet);
    },
  );

  app.get(
    '/iframe/v1/:designId',
    {
      config: { auth: 'public', produces: HTML_OR_JSON },
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
      errorHandler: (error, request, reply) => sendErrorPage(error, request, reply, publicHost),
    },
    async (request, reply) => {
      const { token: text } = request.query as Record<string, unknown>;
      const time = now();
      const admission = await authorizeView(
        {
          tokenText: typeof text === 'string' ? text : '',
          designId: request.params.designId,
          visit: parseEmbedContext(request.headers),
        },
        given,
        time,
      );
      given.tokens.recordUse(admission.token.id, time);
      return sendPrepared(reply, documentOf(page.render(admission, time)));
    },
  );

  app.get(
    '/assets/:file',
    {
      config: { auth: 'public', produces: ASSET_TYPES },
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
      const ref = toBlobRef(request.params.file.replace(/\.(glb|webp)$/, ''));
      if (ref === undefined) throw new Problem('embed.asset');
      const artifact = await authorizeAsset(request, ref, given);
      const headers = ASSET_HEADERS[toContentType(artifact)];
      return sendBlob(request, reply, { blobs, ref, bytes: artifact.sizeBytes, headers });
    },
  );

  app.get(
    '/viewer/:file',
    {
      config: { auth: 'public', produces: ['*/*'] },
      schema: { tags, hide: true, params: Type.Object({ file: Type.String() }) },
    },
    async (request, reply) =>
      sendViewerAsset(request, reply, viewer.assets.get(request.params.file)),
  );
};

/** What a file is, whatever its address says. */
function toContentType({ kind }: Artifact): (typeof ASSET_TYPES)[number] {
  return kind.startsWith('poster') ? 'image/webp' : 'model/gltf-binary';
}

/**
 * A document that loads itself anew sends no Referer. The gate then needs `Sec-Fetch-Dest`, which
 * browsers do not send to a plain http origin.
 */
function canRefresh({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-dest'] !== undefined;
}

/** A refusal is a page for people, unless the client prefers JSON. */
function sendErrorPage(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  own: PublicHost,
) {
  const { accept = '' } = request.headers;
  const wantsJson =
    /\bapplication\/(problem\+)?json\b/.test(accept) && !accept.includes('text/html');
  if (wantsJson) return errorHandler(error, request, reply);
  const problem = toProblem(error);
  if (isServerError(problem)) {
    request.log.error({ reqId: request.id, err: error }, problem.code);
    reply.header('x-request-id', request.id);
  }
  const refreshS = canRefresh(request) ? problem.retryAfterSeconds : undefined;
  if (refreshS !== undefined) reply.header('refresh', refreshS);
  const page = renderErrorPage(problem, own.origin, refreshS);
  return reply.code(problem.status).headers(ERROR_PAGE_HEADERS).send(page);
}
