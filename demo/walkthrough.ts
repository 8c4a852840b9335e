import { printExchange, printHeading, printLine, printNote } from './terminal.ts';

/** The origin of the service, and a token string. */
export type ApiAccess = { origin: string; token: string };

/** Uploads a model; returns the URI of its design. */
export async function uploadDesign(
  access: ApiAccess,
  bytes: Buffer,
  name: string,
): Promise<string> {
  printHeading('Preparation: upload a model file, which becomes a design');
  const path = `/v1/designs?name=${encodeURIComponent(name)}`;
  const response = await sendRequest(access, path, { type: 'model/gltf-binary', body: bytes });
  printExchange(
    `curl "${access.origin}${path}" \\\n  -H "Authorization: Bearer $TOKEN" -H "Content-Type: model/gltf-binary" \\\n  --data-binary @sample.glb   # ${Math.round(bytes.length / 1000)} kB`,
    response,
  );
  return JSON.parse(response.body).uri;
}

/** Does the four steps of embedding and prints them; returns the HTML to paste. */
export async function createEmbedHtml(
  access: ApiAccess,
  uri: string,
  pageOrigin: string,
): Promise<string> {
  printHeading('1  Choose a design by its URI');
  printLine(`  ${uri}`);

  printHeading('2  Get its HTML');
  const snippet = await postJson(access, '/embed/iframe/v1', { uri });

  printHeading('3  Create a token that can only embed, and only on the origin of the shop page');
  const tokenRequest = { capabilities: ['embed'], origins: [pageOrigin], type: 'api', user: '~' };
  const created = JSON.parse(await postJson(access, '/v1/tokens', tokenRequest));

  printHeading('4  Replace the placeholder with the token');
  const html = snippet.replace('CLOCHE_EMBED_TOKEN', created.token);
  printNote('  html.replace("CLOCHE_EMBED_TOKEN", token)');
  printLine(`  ${html}`);
  return html;
}

async function postJson(access: ApiAccess, path: string, payload: object): Promise<string> {
  const body = JSON.stringify(payload);
  const response = await sendRequest(access, path, { type: 'application/json', body });
  printExchange(
    `curl ${access.origin}${path} \\\n  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n  -d '${body}'`,
    response,
  );
  return response.body;
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
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} failed with ${response.status}: ${text}`);
  return { status: response.status, body: text };
}
