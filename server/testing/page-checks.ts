import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { PageCheck } from '@cloche/contract/page-check';
import { generate } from 'selfsigned';
import { openTestServer, type TestServer, type TestServerOptions } from './harness.ts';
import { LOOPBACK_FETCHING, openPageServer } from './page-server.ts';
import { issueToken, sendRequest, uploadTestDesign } from './requests.ts';

/** A page of the shop, and its additional headers. */
export type ShopPage = { html: string; headers?: Record<string, string | string[]> };

type ShopOptions = { secure?: boolean; publicUrl?: string } & Pick<TestServerOptions, 'limits'>;

/** Opens a service with a design and a token for a shop on this machine, whose pages can be checked. */
export async function openShop(t: TestContext, options: ShopOptions = {}) {
  const {
    secure = true,
    publicUrl = 'https://cloche.test',
    limits = { pageChecksPerMinute: 0 },
  } = options;
  const certificate = secure ? await createShopCertificate() : undefined;
  const pages = new Map<string, ShopPage>();
  const server = await openPageServer(
    t,
    ({ url = '' }, response) => {
      const { html = '', headers } = pages.get(url) ?? {};
      response.writeHead(headers?.location ? 302 : 200, {
        'content-type': 'text/html',
        ...headers,
      });
      response.end(html);
    },
    certificate,
  );
  const pageFetching = { ...LOOPBACK_FETCHING, ...(certificate && { ca: certificate.cert }) };
  const service = await openTestServer(t, { publicUrl, pageFetching, limits });
  const design = await uploadTestDesign(service);
  const token = await issueToken(service, { origins: [server.origin] });
  const src = `${publicUrl}/embed/iframe/v1/${design.id}?token=${token.token}`;

  /** Checks a page of the shop, which is added. */
  const checkPage = async (
    page: ShopPage | string,
    client: Pick<TestServer, 'token'> = service,
  ): Promise<PageCheck> => {
    pages.set('/chair', typeof page === 'string' ? { html: page } : page);
    const body = { url: `${server.origin}/chair` };
    const authorized = { ...service, token: client.token };
    const response = await sendRequest(authorized, 'POST', '/v1/page-checks', body);
    assert.equal(response.statusCode, 200, response.body);
    return response.json();
  };
  return { service, server, pages, design, token, src, checkPage };
}

async function createShopCertificate() {
  const names = ['shop.example', 'www.shop.example'];
  const extension = {
    name: 'subjectAltName',
    altNames: names.map((value) => ({ type: 2, value })),
  };
  const options = { extensions: [extension] } as never;
  const { private: key, cert } = await generate([{ name: 'commonName', value: names[0] }], options);
  return { key, cert };
}

/** The HTML of an iframe as the service creates it, with other attributes after it. */
export function toIframe(src: string, attributes = ''): string {
  const escaped = src.replaceAll('&', '&amp;');
  return `<iframe ${attributes} src="${escaped}" title="Oak chair" loading="lazy" referrerpolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" style="display:block;width:100%"></iframe>`;
}
