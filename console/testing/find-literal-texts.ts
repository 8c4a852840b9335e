import { parseSync } from 'vite';

type Node = { type: string; start: number } & Record<string, unknown>;

/** Attributes, also of our own components, whose value is shown or read aloud. */
const TEXT_ATTRIBUTES = [
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'aria-valuetext',
  'alt',
  'error',
  'heading',
  'hint',
  'label',
  'lead',
  'legend',
  'placeholder',
  'title',
];

/** Finds texts with letters that a component shows, and that are not from the catalogue: `line: text`. */
export function findLiteralTexts(source: string): string[] {
  const found: Node[] = [];
  visit(parse(source, 'component.tsx'), (node) => {
    if (node.type === 'JSXText') found.push(node);
    if (node.type === 'JSXAttribute' && isTextAttribute(node))
      found.push(...listLiterals(node.value as Node | null));
    const children = node.type === 'JSXElement' || node.type === 'JSXFragment' ? node.children : [];
    for (const child of children as Node[])
      if (child.type === 'JSXExpressionContainer') found.push(...listLiterals(child));
    return true;
  });
  return describe(found, source, /\p{L}/u);
}

/** Finds sentences in code without components: literals with several words, or a space and a word. Errors of the program are none. */
export function findSentences(source: string): string[] {
  const found: Node[] = [];
  visit(parse(source, 'code.ts'), (node) => {
    if (['Literal', 'TemplateElement'].includes(node.type)) found.push(node);
    return node.type !== 'NewExpression' || (node.callee as Node).name !== 'Error';
  });
  return describe(found, source, /\p{L}{3,} \p{L}|^ \p{L}{4,}/u);
}

function parse(source: string, fileName: string): Node {
  const { program, errors } = parseSync(fileName, source);
  if (errors.length > 0) throw new AggregateError(errors, 'The source has a syntax error.');
  return program as never;
}

function describe(nodes: readonly Node[], source: string, pattern: RegExp): string[] {
  return nodes
    .filter((node) => pattern.test(getText(node)))
    .map((node) => `${source.slice(0, node.start).split('\n').length}: ${getText(node).trim()}`);
}

function getText({ type, value }: Node): string {
  if (type === 'TemplateElement') return (value as { cooked: string }).cooked;
  return typeof value === 'string' ? value : '';
}

function isTextAttribute({ name }: Node): boolean {
  const { name: text } = name as Node;
  return typeof text === 'string' && TEXT_ATTRIBUTES.includes(text);
}

/** Lists the literals that can be the value of an expression: not the arguments of functions and the keys of objects. */
function listLiterals(node: Node | null): Node[] {
  const list = (...names: string[]) => names.flatMap((name) => listLiterals(node?.[name] as Node));
  switch (node?.type) {
    case 'Literal':
      return [node];
    case 'TemplateLiteral':
      return node.quasis as Node[];
    case 'JSXExpressionContainer':
      return list('expression');
    case 'ConditionalExpression':
      return list('consequent', 'alternate');
    case 'BinaryExpression':
      return node.operator === '+' ? list('left', 'right') : [];
    case 'LogicalExpression':
      return node.operator === '&&' ? list('right') : list('left', 'right');
    default:
      return [];
  }
}

/** Calls a function for each node. It says whether the nodes in it are visited too. */
function visit(node: unknown, onNode: (node: Node) => boolean): void {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && !onNode(node as Node)) return;
  for (const child of Object.values(node)) visit(child, onNode);
}
