import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { FastifyPluginAsync } from 'fastify';
import { parseDocumentRequest } from './document-request.ts';
import type { FramedDocumentRenderer } from './framed-document.ts';
import { sendFramedDocument } from './send-framed-document.ts';

export type SampleRouteOptions = {
  documents: FramedDocumentRenderer;
  /** The sample file: its URL on our own origin and its size. It is public. */
  model: ViewerConfig['model'];
};

/**
 * The framed document with a sample file, for the pages of the documentation. It needs no token: it contains no
 * data of a design. Any page may frame it, because the pages of the examples have no origin.
 */
export const sampleRoute: FastifyPluginAsync<SampleRouteOptions> = async (
  app,
  { documents, model },
) => {
  app.get(
    '/',
    { config: { auth: 'public', produces: ['text/html'] }, schema: { hide: true } },
    async (request, reply) => {
      const document = documents.renderSample(model, parseDocumentRequest(request));
      return sendFramedDocument(request, reply, document);
    },
  );
};
