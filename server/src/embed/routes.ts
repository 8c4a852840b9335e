import type { ProcessingProgress } from '@cloche/contract/design';
import { EmbedRequest, EmbedSnippet } from '@cloche/contract/embed';
import { toDesignId } from '@cloche/contract/id';
import { findRefererOrigin, isOriginAllowed } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type BlobRef, type BlobStore, toBlobRef } from '../blobs/blob-store.ts';
import type { Artifact } from '../designs/design.ts';
import { getAccessibleDesign } from '../designs/get-accessible-design.ts';
import type { EmbedUsageStore } from '../embed-usage/embed-usage-store.ts';
import { negotiateMediaType } from '../http/content-negotiation.ts';
import { countSentBytes } from '../http/count-sent-bytes.ts';
import { createOwnProcessHeaders } from '../http/page-headers.ts';
import type { PublicHost } from '../http/public-host.ts';
import { FileParams } from '../http/route-schemas.ts';
import { sendBlob } from '../http/send-blob.ts';
import { sendStaticAsset } from '../http/static-asset.ts';
import type { FailedTokens } from '../tokens/failed-tokens.ts';
import { type TokenRecord, toTokenKind } from '../tokens/token.ts';
import { parseEmbedContext } from './access-policy.ts';
import { type AssetGrant, type GrantSigner, SHARED_GRANTEE } from './asset-grant.ts';
import { type AssetUrls, type ToAssetUrl, toOwnAssetUrl } from './asset-urls.ts';
import { type AuthorizedAsset, authorizeAsset, authorizeModel } from './authorize-asset.ts';
import type { ShareStores } from './authorize-share.ts';
import { authorizeTicket } from './authorize-ticket.ts';
import { authorizeView, type EmbedStores, toEmbedUse } from './authorize-view.ts';
import { createErrorPage } from './create-error-page.ts';
import type { DocumentLimiter } from './document-limiter.ts';
import { parseDocumentRequest, readTokenString } from './document-request.ts';
import type { FramedDocumentRenderer } from './framed-document.ts';
import { recordSecretInUrl } from './record-secret-in-url.ts';
import { sendFramedDocument } from './send-framed-document.ts';
import { createSnippet } from './snippet.ts';
import { toPendingModel } from './to-viewer-config.ts';
import type { ViewerBuild } from './viewer-build.ts';

type EmbedRouteDependencies = EmbedStores &
  ShareStores & {
    blobs: BlobStore;
    documents: FramedDocumentRenderer;
    grantSigner: GrantSigner;
    assetUrls: AssetUrls;
    viewer: ViewerBuild;
    publicHost: PublicHost;
    documentLimiter: DocumentLimiter;
    failedTokens: FailedTokens;
    embedUsage: EmbedUsageStore;
    findProgress: (designId: string) => ProcessingProgress | undefined;
    now: () => Date;
  };

/** The codes of problems with artifacts. */
const problemCodes = { range: 'embed.range', missing: 'embed.asset' } as const;
const HTML_OR_JSON = ['text/html', 'application/json'];
const ASSET_TYPES = ['model/gltf-binary', 'image/webp'];
/** The URL contains the hash of the content, so the content never changes. */
const ASSET_HEADERS = {
  'cache-control': 'private, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};
const tags = ['embed'];

/** /embed: the snippet, the framed document, and the files that the document loads. */
export const embedRoutes: FastifyPluginAsyncTypebox<EmbedRouteDependencies> = async (
  app,
  options,
) => {
  const { tokens, designs, documents, publicHost, viewer, documentLimiter, now } = options;

  const genericName = viewer.languages.en.messages['snippet.genericName'] ?? '';

  app.post(
    '/iframe/v1',
    {
      config: { auth: ['read', 'embed'], idempotencyKey: false, produces: HTML_OR_JSON },
      schema: SNIPPET_SCHEMA,
    },
    async (request, reply) => {
      const design = await getAccessibleDesign(
        designs,
        request.token,
        toDesignId(request.body.uri),
      );
      const { title: _, ...untitled } = design.viewer;
      const named = mayReadName(request)
        ? design
        : { ...design, name: genericName, viewer: untitled };
      const snippet = createSnippet(named, publicHost.origin, request.body.options);
      reply.header('vary', 'accept, origin');
      if (negotiateMediaType(request, HTML_OR_JSON) !== 'text/html') return reply.send(snippet);
      return reply.type('text/html; charset=utf-8').send(snippet.html);
    },
  );

  app.get(
    '/iframe/v1/:designId',
    {
      config: {
        auth: 'public',
        formerHosts: true,
        produces: HTML_OR_JSON,
        renderErrorPage: createErrorPage(viewer, publicHost.origin),
      },
      schema: FRAMED_DOCUMENT_SCHEMA,
      onRequest: async ({ host, headers }, reply) => {
        const { 'sec-fetch-site': secFetchSite } = headers;
        const origin = publicHost.toServedOrigin(host);
        reply.headers(createOwnProcessHeaders(origin, secFetchSite?.toString()));
      },
    },
    async (request, reply) => {
      const tokenString = readTokenString(request);
      const time = now();
      await recordSecretInUrl(tokenString, request, tokens, time);
      const view = await authorizeView(
        {
          tokenString,
          designId: request.params.designId,
          context: {
            ...parseEmbedContext(request.headers),
            documentUrl: toDocumentUrl(request, publicHost),
          },
        },
        { tokens, designs },
        time,
      ).catch((error) => options.failedTokens.fail(error, request, reply));
      documentLimiter.limitDocument(view.token.id, request, reply);
      tokens.usage.recordUse(view.token.id, time, findListedPage(request, view.token));
      const document = await documents.render(view, parseDocumentRequest(request, 'token'), time);
      if (request.method === 'GET') options.embedUsage.recordView(toEmbedUse(view), time);
      return sendFramedDocument(request, reply, document);
    },
  );

  app.get(
    '/assets/:file',
    {
      config: { auth: 'public', formerHosts: true, produces: ASSET_TYPES },
      schema: ASSET_SCHEMA,
    },
    async (request, reply) => {
      const ref = toBlobRef(request.params.file.replace(/\.(glb|webp)$/, ''));
      if (ref === undefined) throw new Problem('embed.asset');
      const { artifact, blobs, grant } = await authorizeAssetOrTicket(request, reply, ref, options);
      if (grant) countSentBytes(request, reply, (bytes) => recordBytes(options, grant, bytes));
      const headers = { ...ASSET_HEADERS, 'content-type': toContentType(artifact) };
      const { sizeBytes, brotli } = artifact;
      return sendBlob(request, reply, { blobs, ref, sizeBytes, brotli, headers, problemCodes });
    },
  );

  app.get(
    '/model',
    { config: { auth: 'public', formerHosts: true }, schema: { tags, hide: true } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { grant, revision } = await authorizeModel(request, options);
      return reply.send(toPendingModel(revision, createAssetUrls(options, grant)));
    },
  );

  app.get(
    '/viewer/:file',
    {
      config: { auth: 'public', formerHosts: true, produces: ['*/*'] },
      schema: { tags, hide: true, params: FileParams },
    },
    async (request, reply) => {
      const asset = viewer.assets.get(request.params.file);
      if (asset === undefined) throw new Problem('embed.asset');
      return sendStaticAsset(request, reply, asset);
    },
  );
};

function authorizeAssetOrTicket(
  request: FastifyRequest,
  reply: FastifyReply,
  ref: BlobRef,
  dependencies: EmbedRouteDependencies,
): Promise<AuthorizedAsset> {
  const { tickets } = dependencies.assetUrls;
  if (tickets === undefined || !('ticket' in (request.query as object)))
    return authorizeAsset(request, ref, dependencies);
  return authorizeTicket(request, reply, { ...dependencies, tickets });
}

/** Without tickets for previews, as in their documents: their page is one of this service. So are the pages of tokens that list its origin. */
function createAssetUrls(
  { assetUrls, publicHost, now }: EmbedRouteDependencies,
  { pageOrigin }: AssetGrant,
): ToAssetUrl {
  return pageOrigin === publicHost.origin ? toOwnAssetUrl : assetUrls.create(now());
}

/** A shared design has no token, so its bytes are not counted. */
function recordBytes(
  { embedUsage, now }: EmbedRouteDependencies,
  { granteeId: tokenId, designId, pageOrigin: origin }: AssetGrant,
  bytes: number,
): void {
  if (tokenId === SHARED_GRANTEE.id) return;
  embedUsage.recordBytes({ tokenId, designId, origin }, bytes, now());
}

/** The URL of the requested document, with the scheme that browsers use for this host. */
function toDocumentUrl({ headers, url }: FastifyRequest, publicHost: PublicHost): string {
  const { host = '' } = headers;
  return `${new URL(publicHost.toServedOrigin(host)).protocol}//${host}${url}`;
}

/**
 * Everyone can copy a public token from a page. Without an `Origin`, which authorization has checked, the
 * request does not come from a listed page.
 */
function mayReadName({ token, headers }: FastifyRequest): boolean {
  return toTokenKind(token.capabilities) === 'secret' || headers.origin !== undefined;
}

const SNIPPET_SCHEMA = {
  tags,
  summary: 'Get the HTML for a design',
  description:
    'Step 2 of 4: get the HTML to paste, with a placeholder for the token. A client that accepts JSON and not HTML gets the parts of the HTML as well. `options` are written into the HTML.',
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
};

const FRAMED_DOCUMENT_SCHEMA = {
  tags,
  summary: 'Get the framed document',
  description: "Requested by a visitor's browser for the iframe.",
  security: [{ embedToken: [] }],
  // No pattern: the gate checks the id, and its error page explains what is wrong.
  params: Type.Object({ designId: Type.String({ description: 'The id of the design: a UUID.' }) }),
  produces: ['text/html'],
};

const ASSET_SCHEMA = {
  tags,
  summary: 'Get an artifact of a design',
  description: 'Requested by the viewer in the framed document.',
  security: [{ grant: [] }],
  params: Type.Object({
    file: Type.String({ description: 'The SHA-256, with `.glb` or, for posters, `.webp`.' }),
  }),
  produces: ASSET_TYPES,
};

/** Finds the page that shows the design, if it names itself. A document that reloads itself names itself. */
function findListedPage({ headers }: FastifyRequest, { origins }: TokenRecord): string | undefined {
  const page = findRefererOrigin(headers.referer ?? '');
  return page !== undefined && isOriginAllowed(origins, page) ? page : undefined;
}

/** The type of an artifact, whatever the extension in the URL. */
function toContentType({ kind }: Artifact): string {
  if (kind.startsWith('poster-share')) return 'image/jpeg';
  return kind.startsWith('poster') ? 'image/webp' : 'model/gltf-binary';
}
