/** What is shown in place of the design, or as the caption of its poster. */
export type OverlayMessage = {
  title: string;
  /** For the visitor. */
  text?: string | undefined;
  /** For the author of the page around the iframe: the stable code of the problem, and what is known of it. */
  code: string;
  /** Empty while it is being loaded. */
  advice: string;
  /** The advice is the detail of a problem, which is in English. */
  isAdviceEnglish?: boolean;
  /** Shows a link that requests the document again. */
  reloads?: boolean;
  /** Shows a button that calls this. */
  onRetry?: (() => void) | undefined;
};

const ENGLISH = { lang: 'en', dir: 'ltr' };

/** Shows a message, and hides the view and the toolbar. The author also finds it in the console. */
export function showMessage(document: Document, message: OverlayMessage): void {
  const overlay = document.getElementById('error') as HTMLElement;
  const find = <T extends HTMLElement>(selector: string) => overlay.querySelector(selector) as T;
  find('h2').textContent = message.title;
  find('h2 + p').textContent = message.text ?? '';
  const advice = find('details p');
  advice.textContent = toAuthorText(message);
  const { documentElement: root } = document;
  Object.assign(advice, message.isAdviceEnglish ? ENGLISH : { lang: root.lang, dir: root.dir });
  find('a').hidden = !message.reloads;
  const button = find<HTMLButtonElement>('button');
  button.hidden = message.onRetry === undefined;
  button.onclick = message.onRetry ?? null;
  overlay.hidden = false;
  for (const id of ['view', 'toolbar']) document.getElementById(id)?.setAttribute('hidden', '');
  if (message.advice !== '') logForAuthor(message);
}

/** Hides the message and shows the view. */
export function hideMessage(document: Document): void {
  document.getElementById('error')?.setAttribute('hidden', '');
  document.getElementById('view')?.removeAttribute('hidden');
}

type Advice = Pick<OverlayMessage, 'code' | 'advice'>;

/** Writes the advice for the author of the page to the console. */
export function logForAuthor(message: Advice): void {
  console.warn(`Cloche: ${toAuthorText(message)}`);
}

function toAuthorText({ code, advice }: Advice): string {
  return `${code}: ${advice}`;
}
