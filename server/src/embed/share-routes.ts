import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { BlobStore } from '../blobs/blob-store.ts';
import { chooseLanguage, createLanguageHeaders } from '../http/choose-language.ts';
import { createOwnProcessHeaders } from '../http/page-headers.ts';
import type { PublicHost } from '../http/public-host.ts';
import { sendBlob } from '../http/send-blob.ts';
import { parseEmbedContext } from './access-policy.ts';
import { authorizeSharedView, getSharedDesign, type ShareStores } from './authorize-share.ts';
import { assertReady } from './authorize-view.ts';
import { createErrorPage } from './create-error-page.ts';
import type { DocumentLimiter } from './document-limiter.ts';
import { parseDocumentRequest } from './document-request.ts';
import type { FramedDocumentRenderer } from './framed-document.ts';
import { sendFramedDocument } from './send-framed-document.ts';
import { createSharePage } from './share-page.ts';
import { SHARE_IMAGE_KINDS, toShareImages, toShareUrls } from './share-urls.ts';
import type { ViewerBuild } from './viewer-build.ts';

type ShareRouteDependencies = ShareStores & {
  blobs: BlobStore;
  documents: FramedDocumentRenderer;
  documentLimiter: DocumentLimiter;
  viewer: ViewerBuild;
  publicHost: PublicHost;
  now: () => Date;
};

const IMAGE_HEADERS = {
  'content-type': 'image/jpeg',
  // The owner may withdraw the permission at any time.
  'cache-control': 'no-cache',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-robots-tag': 'noindex',
};
// No pattern: the error page explains what is wrong.
const PAGE_PARAMS = Type.Object({
  designId: Type.String({ description: 'The id of the design: a UUID.' }),
});
const IMAGE_PARAMS = Type.Object({
  ...PAGE_PARAMS.properties,
  file: Type.String({ description: '`image.jpg` or `image-small.jpg`.' }),
});
const tags = ['embed'];

/** What anyone may see of a design whose owner shares it: the page, its picture, and the framed document. */
export const shareRoutes: FastifyPluginAsyncTypebox<ShareRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { documents, documentLimiter, viewer, publicHost, blobs, now } = dependencies;
  const config = {
    auth: 'public' as const,
    formerHosts: true,
    produces: ['text/html', 'application/json'],
    renderErrorPage: createErrorPage(viewer, publicHost.origin),
  };

  app.get(
    '/share/:designId',
    {
      config,
      schema: {
        tags,
        summary: 'Get the share page',
        description: 'The page of a design with `"shared": true`. It needs no token.',
        params: PAGE_PARAMS,
        produces: ['text/html'],
      },
    },
    async (request, reply) => {
      const design = await getSharedDesign(dependencies, request.params.designId);
      assertReady(design);
      const language = chooseLanguage(request);
      const { headers, html } = createSharePage({
        design,
        urls: toShareUrls(design.id, publicHost.origin),
        image: toShareImages(design, publicHost.origin)[0],
        language,
        messages: viewer.languages[language].messages,
      });
      return reply.headers({ ...headers, ...createLanguageHeaders(language) }).send(html);
    },
  );

  app.get(
    '/share/:designId/:file',
    {
      config: { auth: 'public', formerHosts: true, produces: ['image/jpeg'] },
      schema: {
        tags,
        summary: 'Get the picture of a shared design',
        description: 'A JPEG image for the previews of links. It needs no token.',
        params: IMAGE_PARAMS,
        produces: ['image/jpeg'],
      },
    },
    async (request, reply) => {
      const design = await getSharedDesign(dependencies, request.params.designId);
      const kind = Object.entries(SHARE_IMAGE_KINDS).find(
        ([file]) => file === request.params.file,
      )?.[1];
      const image = design.revision?.artifacts.find((artifact) => artifact.kind === kind);
      if (kind === undefined || image === undefined) throw new Problem('embed.asset');
      const { blob: ref, sizeBytes } = image;
      return sendBlob(request, reply, { blobs, ref, sizeBytes, headers: IMAGE_HEADERS });
    },
  );

  app.get(
    '/embed/share/v1/:designId',
    {
      config,
      schema: {
        tags,
        summary: 'Get the framed document of a shared design',
        description: "Requested by a visitor's browser for the iframe. Any page may frame it.",
        params: PAGE_PARAMS,
        produces: ['text/html'],
      },
      onRequest: async ({ host, headers }, reply) => {
        const { 'sec-fetch-site': secFetchSite } = headers;
        const origin = publicHost.toServedOrigin(host);
        reply.headers(createOwnProcessHeaders(origin, secFetchSite?.toString()));
      },
    },
    async (request, reply) => {
      const context = parseEmbedContext(request.headers);
      const view = await authorizeSharedView(dependencies, request.params.designId, context);
      documentLimiter.limitDocument(view.design.id, request, reply);
      const document = await documents.render(view, parseDocumentRequest(request), now());
      return sendFramedDocument(request, reply, document);
    },
  );
};
