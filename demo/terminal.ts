const isTerminal = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
const style = (code: number) => (text: string) =>
  isTerminal ? `\x1b[${code}m${text}\x1b[0m` : text;

const bold = style(1);
const dim = style(2);
const green = style(32);
const red = style(31);

export function printHeading(text: string): void {
  process.stdout.write(`\n${bold(text)}\n`);
}

export function printNote(text: string): void {
  process.stdout.write(`${dim(text)}\n`);
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Says how far something is, in place on a terminal and not at all in a file. */
export function printProgress(text: string): void {
  if (isTerminal) process.stdout.write(`\r\x1b[K${dim(text)}`);
}

/** An address at the end of its sentence, easy to find and to click. */
export function printLink(what: string, url: string): void {
  process.stdout.write(`  ${what.padEnd(50)} ${bold(url)}\n`);
}

/** Shows a request as a person would type it, and the answer as it came. */
export function printExchange(request: string, answer: { status: number; body: string }): void {
  const mark = answer.status < 400 ? green : red;
  process.stdout.write(`${dim(indent(request))}\n`);
  process.stdout.write(
    `  ${mark(String(answer.status))} ${indent(truncate(answer.body)).trimStart()}\n`,
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
