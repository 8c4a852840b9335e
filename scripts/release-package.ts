import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The workspaces whose code the service runs. Node does not strip types in node_modules, so they become JavaScript. */
const WORKSPACES = ['contract', 'pipeline', 'server'] as const;

/** Other files that the service reads, and those for people. */
const COPIED = [
  ...['viewer/dist', 'console/dist', 'sdk/dist', 'pipeline/dist'],
  ...['docs', 'examples', 'demo/sample.glb'],
  ...['LICENSE', 'THIRD-PARTY-NOTICES.md', 'CHANGELOG.md'],
];

type PackageFile = {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/**
 * Writes the package that a release publishes: the service as JavaScript, with the built viewer, console and SDK. The
 * workspaces are folders of it, and import each other by relative paths.
 */
export async function writeReleasePackage(folder: string): Promise<void> {
  for (const workspace of WORKSPACES) await writeWorkspace(workspace, folder);
  for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await writeFile(join(folder, 'README.md'), await createReadme());
  await writeJson(join(folder, 'package.json'), await createPackageFile());
}

async function writeWorkspace(workspace: string, folder: string): Promise<void> {
  const { version } = await readPackageFile(workspace);
  await mkdir(join(folder, workspace), { recursive: true });
  await writeJson(join(folder, workspace, 'package.json'), { version, type: 'module' });
  const paths = glob(`${workspace}/{src,bin}/**/*.*`, {
    cwd: ROOT,
    exclude: (name) => name.endsWith('.test.ts') || name.endsWith('.contract.ts'),
  });
  for await (const path of paths) await writeSource(path, folder);
}

async function writeSource(path: string, folder: string): Promise<void> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  if (path.endsWith('.d.ts')) return;
  if (!/\.[jt]s$/.test(path)) return cp(join(ROOT, path), target);
  const source = await readFile(join(ROOT, path), 'utf8');
  const javaScript = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
  await writeFile(target.replace(/\.ts$/, '.js'), toReleaseImports(javaScript, path));
}

/** Replaces the names of TypeScript files, and of the workspaces, in all texts of a file. */
export function toReleaseImports(source: string, path: string): string {
  return source
    .replace(
      /(['"])@cloche\/(contract|pipeline)\/([\w./-]+)\1/g,
      (_, quote, workspace, name) =>
        `${quote}${toRelative(path, `${workspace}/src/${name}.js`)}${quote}`,
    )
    .replace(/(['"])([\w./-]+)(?<!\.d)\.ts\1/g, '$1$2.js$1');
}

function toRelative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Adds up the dependencies of the workspaces. `node` is the Node that runs the service. */
async function createPackageFile(): Promise<object> {
  const root = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const workspaces = await Promise.all(WORKSPACES.map(readPackageFile));
  const merge = (key: 'dependencies' | 'optionalDependencies') =>
    Object.fromEntries(
      workspaces
        .flatMap((workspace) => Object.entries(workspace[key] ?? {}))
        .filter(([name]) => !name.startsWith('@cloche/'))
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  const { name, version, description, license, type, engines } = root;
  return {
    ...{ name, version, description, license, type, engines },
    bin: { 'cloche-server': 'server/bin/cloche-server.js' },
    dependencies: { ...merge('dependencies'), node: root.dependencies.node },
    optionalDependencies: merge('optionalDependencies'),
    allowScripts: { node: true },
  };
}

async function createReadme(): Promise<string> {
  const { version } = await readPackageFile('server');
  return `# Cloche ${version}

Shows your 3D designs on other people's web pages, and nowhere else.

    npx cloche-server

runs the service, with its data in \`./data\`. Its guides are at /docs, and in the folder \`docs\`.
`;
}

async function readPackageFile(workspace: string): Promise<PackageFile> {
  return JSON.parse(await readFile(join(ROOT, workspace, 'package.json'), 'utf8'));
}

function writeJson(path: string, value: object): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
