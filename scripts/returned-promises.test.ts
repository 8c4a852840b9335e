import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'vite';
import { readSourceFiles } from './source-files.ts';

/** A node of a syntax tree. */
type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** Functions that return no promise. */
const SYNCHRONOUS_CALLS = ['toSignalExit(', "output.split('\\n')"];

const isNode = (value: unknown): value is Node =>
  typeof (value as Node | null)?.type === 'string' && typeof (value as Node).start === 'number';

const listChildren = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

const isFunction = ({ type }: Node): boolean => /Function/.test(type);

/** Whether something is awaited in a node, and not only in functions in it. */
const hasAwait = (node: Node): boolean =>
  node.type === 'AwaitExpression' ||
  listChildren(node).some((child) => !isFunction(child) && hasAwait(child));

/** Whether an expression may be a call that is not awaited. */
function mayBeCall(node: Node): boolean {
  if (node.type === 'CallExpression') return true;
  const branches = [node.consequent, node.alternate, node.left, node.right].filter(isNode);
  return /^(Conditional|Logical)/.test(node.type) && branches.some(mayBeCall);
}

/** Lists what is returned without `await` although something is awaited before the function ends. */
function listReturnedCalls(text: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, awaitsLater: boolean): void => {
    const { argument } = node;
    if (node.type === 'ReturnStatement' && awaitsLater && isNode(argument) && mayBeCall(argument))
      found.push(text.slice(argument.start, argument.end));
    let below = awaitsLater && !isFunction(node);
    for (const child of listChildren(node)) {
      if (child.type === 'VariableDeclaration' && child.kind === 'await using') below = true;
      const { finalizer } = node;
      const isTried = isNode(finalizer) && child !== finalizer && hasAwait(finalizer);
      visit(child, below || isTried);
    }
  };
  visit(parseSync('file.ts', text).program as unknown as Node, false);
  return found;
}

test('what a function returns is awaited before it awaits the end of `await using` or `finally`', async () => {
  const wrap = (body: string) => `async function f() { ${body} }`;
  for (const [body, count] of [
    ['await using a = b(); return g();', 1],
    ['await using a = b(); if (c) { return d ?? g(); }', 1],
    ['try { return g(); } finally { await h(); }', 1],
    ['await using a = b(); return await g();', 0],
    ['await using a = b(); return a;', 0],
    ['if (c) { await using a = b(); } return g();', 0],
    ['await using a = b(); const f = () => { return g(); };', 0],
    ['try { return g(); } finally { h(); }', 0],
    ['return g(); await using a = b();', 0],
  ] as const)
    assert.equal(listReturnedCalls(wrap(body)).length, count, body);

  const root = join(import.meta.dirname, '..');
  const files = await readSourceFiles(root, ['server/src/**/*.ts', 'pipeline/src/**/*.ts']);
  for (const [path, text] of files) {
    if (path.endsWith('.test.ts')) continue;
    const calls = listReturnedCalls(text).filter(
      (call) => !SYNCHRONOUS_CALLS.some((name) => call.includes(name)),
    );
    assert.deepEqual(
      calls,
      [],
      `${path}: if the promise rejects before it is awaited, the process ends. Write "return await".`,
    );
  }
});
