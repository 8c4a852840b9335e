/** The script of the API page: a session, the four steps of embedding, and a form for each operation. */
import type { ApiClient } from '../src/api/api-client.ts';
import { getElement, h } from './dom.ts';
import { createSignOutButton, resumeOrSignIn, showSignIn } from './sign-in.ts';
import './docs.ts';
import { enableCodeTabs } from './code-tabs.ts';
import { createEmbedFlow } from './embed-flow.ts';
import type { OpenApi } from './openapi.ts';
import { renderOperations } from './operations.ts';

let client: ApiClient | undefined;

showPublicUrlNote();
const resumed = resumeOrSignIn(start);
getElement('embed-flow').append(createEmbedFlow(getClient));
enableCodeTabs(getElement('code-tabs'));
await showOperations();
await resumed;

function start(newClient: ApiClient): void {
  client = newClient;
  newClient.onSessionEnd = (error) => stop(error);
  const note = 'Requests on this page are real: what you delete is deleted. ';
  const signOut = createSignOutButton(newClient, stop);
  getElement('session').replaceChildren(h('p', {}, h('b', {}, 'Signed in. '), note, signOut));
}

function stop(error?: Error): void {
  client = undefined;
  getElement('session').replaceChildren();
  showSignIn(start, error);
}

/** Returns the client of the session. Without a session, leads to the field for the token. */
function getClient(): ApiClient | undefined {
  if (client === undefined) {
    showSignIn(start, new Error('Enter your token first.'));
    getElement('token').focus();
  }
  return client;
}

async function showOperations(): Promise<void> {
  const loading = getElement('loading');
  try {
    const response = await fetch('/openapi.json');
    if (!response.ok) throw new Error(`the response has status ${response.status}`);
    const api: OpenApi = await response.json();
    renderOperations(api, {
      root: getElement('operations'),
      contents: document.querySelector('.contents ul') as HTMLElement,
    });
    loading.remove();
    // The browser scrolled to the hash before the operations were rendered.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    const { message } = error as Error;
    loading.textContent = `/openapi.json could not be read: ${message}. Reload the page.`;
  }
}

/** Sessions work only at the public URL. If the page was opened at another URL, shows a link to it. */
function showPublicUrlNote(): void {
  const note = getElement('public-url-note');
  const { publicUrl = location.origin } = note.dataset;
  if (publicUrl === location.origin) return;
  const link = h('a', { href: `${publicUrl}/docs/api` }, publicUrl);
  note.replaceChildren('To send requests, open this page at the public URL of the service: ', link);
  note.hidden = false;
}
