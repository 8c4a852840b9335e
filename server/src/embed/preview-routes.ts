import { CreatePreviewLinkRequest, PreviewLink } from '@cloche/contract/preview-link';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { DesignIdParams, getAccessibleDesign } from '../designs/get-accessible-design.ts';
import { getReadyRevision } from '../designs/get-ready-revision.ts';
import type { RevisionStore } from '../designs/revision-store.ts';
import type { EmbedUsageStore } from '../embed-usage/embed-usage-store.ts';
import { chooseLanguage, createLanguageHeaders } from '../http/choose-language.ts';
import type { PublicHost } from '../http/public-host.ts';
import type { Signer } from '../http/signer.ts';
import { parseEmbedContext } from './access-policy.ts';
import {
  authorizePreview,
  authorizePreviewDocument,
  type PreviewRequest,
} from './authorize-preview.ts';
import { type EmbedStores, toEmbedUse } from './authorize-view.ts';
import { createErrorPage } from './create-error-page.ts';
import { parseDocumentRequest } from './document-request.ts';
import type { FramedDocumentRenderer } from './framed-document.ts';
import { signPreviewPermission, toPreviewExpiry } from './preview-link.ts';
import { createPreviewPage } from './preview-page.ts';
import { sendFramedDocument } from './send-framed-document.ts';
import type { ViewerBuild } from './viewer-build.ts';

export type PreviewRouteDependencies = EmbedStores & {
  documents: FramedDocumentRenderer;
  revisions: Pick<RevisionStore, 'findReady'>;
  /** The signer for PREVIEW_LINK_PURPOSE. */
  signer: Signer;
  viewer: ViewerBuild;
  embedUsage: EmbedUsageStore;
  publicHost: PublicHost;
  now: () => Date;
};

const CREATE_SCHEMA = {
  tags: ['designs'],
  summary: 'Create a preview link',
  description:
    'Returns a signed URL of a page of this service that shows the design, for ten minutes; with `revision`, that revision, also if embeds show another one. Anyone with the URL can open it. No other site can frame it. Revoking the token of this request ends it.',
  params: DesignIdParams,
  // A request without a body is validated as null.
  body: Type.Union([CreatePreviewLinkRequest, Type.Null()], { examples: [{}] }),
  response: { 200: PreviewLink },
};
// No pattern: the link is checked, and the error page explains what is wrong.
const PREVIEW_SCHEMA = { hide: true, params: Type.Object({ designId: Type.String() }) };

/** The preview of a design for its owner: a link, the page that it opens, and the framed document. */
export const previewRoutes: FastifyPluginAsyncTypebox<PreviewRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { designs, revisions, documents, signer, viewer, embedUsage, publicHost, now } =
    dependencies;
  const config = {
    auth: 'public' as const,
    produces: ['text/html', 'application/json'],
    renderErrorPage: createErrorPage(viewer, publicHost.origin, { showsDetail: true }),
  };

  app.post(
    '/v1/designs/:id/preview-links',
    { config: { auth: 'read', idempotencyKey: true }, schema: CREATE_SCHEMA },
    async ({ token, params, body: request, idempotency }) => {
      const { id: designId } = await getAccessibleDesign(designs, token, params.id);
      const expiresAt = toPreviewExpiry(now(), token.expiresAt);
      const number = request?.revision;
      const revision =
        number === undefined ? undefined : await getReadyRevision(revisions, designId, number);
      const permission = { tokenId: token.id, designId, expiresAt, revisionId: revision?.id };
      const link = signPreviewPermission(signer, permission);
      const body: PreviewLink = {
        url: `${publicHost.origin}${toPagePath(designId, link)}`,
        src: `${publicHost.origin}${toDocumentPath(designId, link)}`,
        expiresAt: expiresAt.toISOString(),
      };
      const response = { status: 200, location: undefined, body };
      return (await idempotency.respondOnce(response)).body as PreviewLink;
    },
  );

  app.get('/preview/:designId', { config, schema: PREVIEW_SCHEMA }, async (request, reply) => {
    const preview = toPreviewRequest(request, request.params.designId);
    const { view, permission } = await authorizePreview(preview, dependencies, now());
    const language = chooseLanguage(request);
    const { headers, html } = createPreviewPage({
      design: view.design,
      src: toDocumentPath(preview.designId, preview.link ?? ''),
      expiresAt: permission.expiresAt,
      language,
      messages: viewer.languages[language].messages,
    });
    return reply.headers({ ...headers, ...createLanguageHeaders(language) }).send(html);
  });

  app.get(
    '/embed/preview/v1/:designId',
    { config, schema: PREVIEW_SCHEMA },
    async (request, reply) => {
      const preview = toPreviewRequest(request, request.params.designId);
      const time = now();
      const { view } = await authorizePreviewDocument(preview, dependencies, time);
      const requested = parseDocumentRequest(request, 'link');
      const document = await documents.renderPreview(view, requested, time);
      if (request.method === 'GET') embedUsage.recordView(toEmbedUse(view), time);
      return sendFramedDocument(request, reply, document);
    },
  );
};

const toPagePath = (designId: string, link: string) => `/preview/${designId}?link=${link}`;
const toDocumentPath = (designId: string, link: string) =>
  `/embed/preview/v1/${designId}?link=${link}`;

function toPreviewRequest({ query, headers }: FastifyRequest, designId: string): PreviewRequest {
  const { link } = query as Record<string, unknown>;
  return {
    link: typeof link === 'string' ? link : undefined,
    designId: designId.toLowerCase(),
    context: parseEmbedContext(headers),
    secFetchSite: headers['sec-fetch-site'] as string | undefined,
  };
}
