const isTerminal = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
const style = (code: number) => (text: string) =>
  isTerminal ? `\x1b[${code}m${text}\x1b[0m` : text;

const bold = style(1);
const dim = style(2);
const green = style(32);
const red = style(31);

/** Prints a heading after an empty line. */
export function printHeading(text: string): void {
  process.stdout.write(`\n${bold(text)}\n`);
}

/** Prints dimmed text. */
export function printNote(text: string): void {
  process.stdout.write(`${dim(text)}\n`);
}

/** Prints plain text. */
export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints progress in place of the last progress; only on a terminal. */
export function printProgress(text: string): void {
  if (isTerminal) process.stdout.write(`\r\x1b[K${dim(text)}`);
}

/** Prints a label and its URL; all URLs are aligned. */
export function printLink(label: string, url: string): void {
  process.stdout.write(`  ${label.padEnd(54)} ${bold(url)}\n`);
}

/** Prints a request as a shell command, and its response. */
export function printExchange(request: string, response: { status: number; body: string }): void {
  const colorize = response.status < 400 ? green : red;
  process.stdout.write(`${dim(indent(request))}\n`);
  process.stdout.write(
    `  ${colorize(String(response.status))} ${indent(truncate(response.body)).trimStart()}\n`,
  );
}

function truncate(text: string): string {
  return text.length > 900 ? `${text.slice(0, 900)} …` : text;
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
