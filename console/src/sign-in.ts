import { ApiClient } from './api-client.ts';
import { renderError } from './api-error.ts';
import { getElement, h } from './ui/dom.ts';

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
    const mistake = findMistake(token);
    if (mistake !== undefined) return showError(new Error(mistake));
    button.disabled = true;
    try {
      const client = await ApiClient.signIn(token);
      // Forgotten from here on: the page keeps only the session.
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

/** Explains a text that cannot be a secret token, before it is sent. */
function findMistake(token: string): string | undefined {
  if (token === '') return 'Enter your token. It begins with cloche_sk_.';
  if (token.startsWith('cloche_pk_')) {
    return 'This is a public token: it can only show designs in pages. Enter a secret token, which begins with cloche_sk_.';
  }
  if (token.startsWith('cloche_sk_')) return undefined;
  return 'This is not a token of Cloche. A secret token begins with cloche_sk_ and has 48 characters.';
}

/** Creates the button that ends the session. */
export function createSignOutButton(onSignOut: () => void): HTMLButtonElement {
  return h('button', { type: 'button', class: 'link', onclick: onSignOut }, 'Sign out');
}
