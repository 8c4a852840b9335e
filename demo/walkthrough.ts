import { printExchange, printHeading } from './terminal.ts';

/** What a client needs to speak to the service: its address and a secret token. */
export type ApiAccess = { origin: string; token: string };

/** Sends the bytes of a model; answers the URI of the design made of it. */
export async function uploadDesign(
  access: ApiAccess,
  bytes: Buffer,
  name: string,
): Promise<string> {
  printHeading('Before: a model file becomes a design');
  const path = `/v1/designs?name=${encodeURIComponent(name)}`;
  const answer = await sendRequest(access, path, { type: 'model/gltf-binary', body: bytes });
  printExchange(
    `curl "${access.origin}${path}" \\\n  -H "Authorization: Bearer $TOKEN" -H "Content-Type: model/gltf-binary" \\\n  --data-binary @sample.glb   # ${Math.round(bytes.length / 1000)} kB`,
    answer,
  );
  return JSON.parse(answer.body).uri;
}

/** Steps 1 to 4, as any client would do them: answers the HTML to paste. */
export async function createEmbedHtml(
  access: ApiAccess,
  uri: string,
  page: string,
): Promise<string> {
  printHeading('1  Choose a design by its URI');
  printExchange(uri, { status: 200, body: 'That is all.' });

  printHeading('2  Ask for its HTML');
  const snippet = await postJson(access, '/embed/iframe/v1', { uri });

  printHeading('3  Ask for a token that can only embed, and only on that page’s origin');
  const wish = { capabilities: ['embed'], origins: [page], type: 'api', user: '~' };
  const issued = JSON.parse(await postJson(access, '/v1/tokens', wish));

  printHeading('4  Put the token where the placeholder stands');
  const html = snippet.replace('CLOCHE_EMBED_TOKEN', issued.token);
  printExchange('html.replace("CLOCHE_EMBED_TOKEN", token)', { status: 200, body: html });
  return html;
}

/** The commands with which a person sends a file of their own. */
export function formatUploadCommands({
  origin,
  tokenFile,
}: {
  origin: string;
  tokenFile: string;
}): string {
  return [
    `  TOKEN=$(cat ${tokenFile})`,
    `  curl "${origin}/v1/designs?name=Mine" -H "Authorization: Bearer $TOKEN" \\`,
    '    -H "Content-Type: application/octet-stream" --data-binary @your-model.glb',
    `  ${origin}/docs has the other steps, with this address in them.`,
  ].join('\n');
}

async function postJson(access: ApiAccess, path: string, wish: object): Promise<string> {
  const body = JSON.stringify(wish);
  const answer = await sendRequest(access, path, { type: 'application/json', body });
  printExchange(
    `curl ${access.origin}${path} \\\n  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n  -d '${body}'`,
    answer,
  );
  return answer.body;
}

async function sendRequest(
  { origin, token }: ApiAccess,
  path: string,
  { type, body }: { type: string; body: string | Buffer },
) {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const answer = { status: response.status, body: await response.text() };
  if (!response.ok) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
  return answer;
}
