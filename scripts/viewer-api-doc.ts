import { MAX_MOVEMENT_MS } from '@cloche/contract/message';
import { type ViewerOptionDefinition, viewerOptions } from '@cloche/contract/viewer-options';
import { viewerProblems } from '@cloche/contract/viewer-problem';
import { toKebabCase } from '../sdk/src/option-names.ts';
import { sdkProblems } from '../sdk/src/sdk-error.ts';

/** A member of a type in the source: `signature` without its name, `text` from its comment. */
export type TypeMember = { name: string; signature: string; text: string };

/** The texts of the files that have the documented types. */
export type ViewerApiSources = {
  /** docs/viewer-api.md before the generated sections. */
  introduction: string;
  /** contract/src/message.ts */
  message: string;
  /** sdk/src/viewer-handle.ts */
  handle: string;
};

/** The types of arguments, results and events, in the order of the page. */
const TYPE_NAMES = [
  ...['CameraState', 'CameraChange', 'CameraMovement', 'AnimationInfo', 'AnimationState'],
  ...['PartNode', 'PickResult', 'ScreenshotOptions'],
];
/** A member of a type: its comment, its name, and the text until the next member. */
const MEMBER =
  /(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}(?:readonly )?'?([\w-]+)'?([\s\S]*?);\n(?=\n| {2}\S|$)/g;

/** Writes docs/viewer-api.md: the options, methods, events and errors of the contract. */
export function createViewerApiDoc({ introduction, message, handle }: ViewerApiSources): string {
  const methods = listMembers(message, 'ViewerMethods');
  const events = listMembers(message, 'ViewerMessageEvents');
  const errors = Object.entries({ ...sdkProblems, ...viewerProblems });
  const sections = [
    introduction.trim(),
    '## Options',
    OPTIONS_TEXT,
    createTable(
      ['Option', 'Value', 'Without it', 'Meaning'],
      Object.entries(viewerOptions).map(toOptionRow),
    ),
    '## Handle',
    HANDLE_TEXT,
    ...listMembers(handle, 'ViewerHandle').map(toSection),
    '## Methods',
    METHODS_TEXT,
    ...methods.map((member) => toSection(toPromise(member))),
    '## Events',
    EVENTS_TEXT,
    createTable(['Event', 'Detail', 'Meaning'], events.map(toEventRow)),
    '## Types',
    toCodeBlock(TYPE_NAMES.map((name) => findType(message, name)).join('\n\n')),
    '## Errors',
    ERRORS_TEXT,
    createTable(
      ['Code', 'Meaning'],
      errors.map(([code, text]) => [`\`${code}\``, text]),
    ),
  ];
  return `${sections.join('\n\n').replaceAll('MAX_MOVEMENT_MS', String(MAX_MOVEMENT_MS))}\n`;
}

const OPTIONS_TEXT =
  'In JavaScript and JSON, options have these names. As attributes and in the URL of a snippet they are in kebab-case: `cameraOrbit` is `camera-orbit`.';
const HANDLE_TEXT =
  '`createViewer` returns a handle. `<cloche-viewer>` has it in its property `viewer`, React in the `ref`.';
const METHODS_TEXT =
  'The handle has all methods of the viewer. Each returns a promise: the iframe answers, or the call fails with an error that has a `code`. A part is named by its `id` from `getParts`.';
const EVENTS_TEXT =
  'Add a listener with `viewer.on(name, (detail) => …)`. `<cloche-viewer>` dispatches the same events, with `event.detail`. The component of React has a property for each: `onCameraChange` for `camera-change`.';
const ERRORS_TEXT =
  'The `code` of an error of a call, and of the event `error`. If the service does not show the design, it is one of the codes in [Problems](problems.md), such as `embed.origin`. `message` is English text for developers.';

/** Lists the members of a type, in the order of the source. */
export function listMembers(source: string, typeName: string): TypeMember[] {
  const start = source.search(new RegExp(`^export type ${typeName} = `, 'm'));
  const body = source.slice(source.indexOf('{\n', start) + 2, source.indexOf('\n};', start) + 1);
  const members = [...body.matchAll(MEMBER)].map(([, comment = '', name = '', signature = '']) => ({
    name,
    signature,
    text: toText(comment),
  }));
  if (start === -1 || members.length === 0) throw new Error(`The type ${typeName} was not found.`);
  return members;
}

function findType(source: string, name: string): string {
  const pattern = `^export type ${name} = \\{(?:.*|\\n[\\s\\S]*?\\n)\\};$`;
  const [text] = new RegExp(pattern, 'm').exec(source) ?? [];
  if (text === undefined) throw new Error(`The type ${name} was not found.`);
  return text.replace('export ', '');
}

/** The result of a call arrives in a promise. */
function toPromise({ signature, ...member }: TypeMember): TypeMember {
  return { ...member, signature: signature.replace(/\): (.*)$/s, '): Promise<$1>') };
}

function toSection({ name, signature, text }: TypeMember): string {
  const code = `${name}${signature}`.replace(/^ {2}/gm, '');
  return [`### ${name}`, toCodeBlock(code), ...(text === '' ? [] : [text])].join('\n\n');
}

function toOptionRow([name, option]: [string, ViewerOptionDefinition]): string[] {
  const { description, default: defaultValue, example } = option;
  const isWords = defaultValue.includes(' ') && !/^[\w.]+( auto)*$/.test(defaultValue);
  return [
    `\`${name}\` <br>\`${toKebabCase(name)}="${example}"\``,
    describeValue(option),
    isWords ? defaultValue : `\`${defaultValue}\``,
    description,
  ];
}

function describeValue(option: ViewerOptionDefinition): string {
  const listValues = (values: readonly string[]) =>
    values.map((value) => `\`${value}\``).join(', ');
  switch (option.kind) {
    case 'boolean':
      return '`true` or `false`';
    case 'number':
      return `a number from ${option.minimum} to ${option.maximum}`;
    case 'orbit':
      return 'azimuth, angle from the zenith, and distance; each may be `auto`';
    case 'position':
      return 'three lengths; each may be `auto`';
    case 'angle':
      return 'an angle (`30deg`, `0.5rad`) or `auto`';
    case 'speed':
      return 'an angle per second, or percent of the usual speed';
    case 'color':
      return '`#rrggbb`, `#rgb` or `transparent`';
    case 'choice':
      return listValues(option.values);
    case 'words':
      return `\`all\`, \`none\`, or some of ${listValues(option.values)}`;
    case 'text':
      return `text of up to ${option.maxLength} characters`;
  }
}

function toEventRow({ name, signature, text }: TypeMember): string[] {
  const detail = signature.replace(/^\??: /, '').replace('Record<string, never>', '{}');
  return [`\`${name}\``, `\`${detail.replaceAll('|', '\\|')}\``, text];
}

function createTable(header: string[], rows: string[][]): string {
  const lines = [header, header.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function toCodeBlock(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}

/** The text of a comment, in one line. */
function toText(comment: string): string {
  return comment
    .replace(/^\s*\*/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
