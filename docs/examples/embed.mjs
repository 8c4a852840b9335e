// TOKEN is your secret token. Node 20 or newer: node embed.mjs
import { readFile } from 'node:fs/promises';

const SERVICE = 'https://cloche.example.com';
const SITE = 'https://shop.example';

async function api(path, body, type = 'application/json') {
  const response = await fetch(SERVICE + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${process.env.TOKEN}`, 'Content-Type': type },
    body,
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}

// 1. Upload a file. The response has the URI of the design.
const file = await readFile('chair.glb');
const upload = await api('/v1/designs?name=Oak%20chair', file, 'application/octet-stream');
const { uri } = await upload.json();

// 2. Get its HTML, with a placeholder for a token.
const html = await (await api('/embed/iframe/v1', JSON.stringify({ uri }))).text();

// 3. Create a token that can only embed, and only on your site.
const request = { capabilities: ['embed'], origins: [SITE], type: 'api', user: '~' };
const { token } = await (await api('/v1/tokens', JSON.stringify(request))).json();

// 4. Replace the placeholder. Paste the result into a page of your site.
console.log(html.replace('CLOCHE_EMBED_TOKEN', token));
