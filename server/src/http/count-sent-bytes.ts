import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Calls `onSent` once, at the end of the response, with the number of bytes of the file in it: those of the range, or of
 * the compressed file, and 0 without one. If the client goes away before the end, it is what the operating system has
 * accepted until then: a connection may have up to a few hundred kilobytes on their way.
 */
export function countSentBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  onSent: (bytes: number) => void,
): void {
  const response = reply.raw;
  const { socket } = request.raw;
  // Connections are kept open: they have sent other responses before. Tests without a network have no count.
  const { bytesWritten: bytesBefore = 0 } = socket;
  const hasFile = () => request.method === 'GET' && [200, 206].includes(response.statusCode);
  response.once('finish', () => onSent(hasFile() ? Number(reply.getHeader('content-length')) : 0));
  response.once('close', () => {
    if (!response.writableFinished) onSent(hasFile() ? socket.bytesWritten - bytesBefore : 0);
  });
}
