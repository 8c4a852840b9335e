import { ApiClient } from '../src/api/api-client.ts';
import { findTokenMistake } from '../src/session/find-token-mistake.ts';
import { getElement, h } from './dom.ts';
import { renderError } from './render-error.ts';

/**
 * Shows the form for the token, and calls `onSignIn` when the service has accepted one. `error` is why the
 * form is shown.
 */
export function showSignIn(onSignIn: (client: ApiClient) => void, error?: Error): void {
  const section = getElement('sign-in');
  const form = section.querySelector('form') as HTMLFormElement;
  const field = getElement('token') as HTMLInputElement;
  const button = form.querySelector('button') as HTMLButtonElement;
  const message = getElement('sign-in-error');
  const showError = (reason: unknown) => {
    message.replaceChildren(renderError(reason));
    field.setAttribute('aria-invalid', 'true');
    field.focus();
  };
  message.replaceChildren(...(error === undefined ? [] : [renderError(error)]));
  field.removeAttribute('aria-invalid');
  section.hidden = false;
  // Replaces the listener of an earlier call.
  form.onsubmit = async (event) => {
    event.preventDefault();
    const token = field.value.trim();
    const mistake = findTokenMistake(token);
    if (mistake !== undefined) return showError(new Error(mistake));
    button.disabled = true;
    try {
      const client = await ApiClient.signIn(token);
      // Forgotten from here on: the browser keeps only the session, in a cookie.
      field.value = '';
      message.replaceChildren();
      section.hidden = true;
      onSignIn(client);
    } catch (reason) {
      showError(reason);
    } finally {
      button.disabled = false;
    }
  };
}

/** Creates the button that ends the session, and then calls `onEnd`. */
export function createSignOutButton(client: ApiClient, onEnd: () => void): HTMLButtonElement {
  const signOut = async () => {
    await client.signOut();
    onEnd();
  };
  return h('button', { type: 'button', class: 'link', onclick: () => void signOut() }, 'Sign out');
}

/** Continues the session of the browser, or shows the form for the token. */
export async function resumeOrSignIn(onSignIn: (client: ApiClient) => void): Promise<void> {
  const client = await ApiClient.resume();
  if (client === undefined) showSignIn(onSignIn);
  else onSignIn(client);
}
