import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The baseline for large files: `node:http` without options, which sends the file named by the argument. */
const file = process.argv[2] ?? '';

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-length': statSync(file).size });
  createReadStream(file).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
