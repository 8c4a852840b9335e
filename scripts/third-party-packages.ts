/** A package of package-lock.json that `npm ci --omit=dev` may install. */
export type ThirdPartyPackage = { name: string; version: string; license: string };

type LockEntry = {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/** The `packages` of package-lock.json, by path. */
export type LockPackages = Readonly<Record<string, LockEntry>>;

/** Licenses of packages whose package.json names none, and where they are written instead. */
const UNDECLARED_LICENSES: Readonly<Record<string, string>> = {
  // In its Readme.
  'combine-errors': 'MIT',
};

/** Lists the packages that run in production, on any platform, by name. */
export function listProductionPackages(packages: LockPackages): ThirdPartyPackage[] {
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, entry]) => toPackage(path, entry))
    .filter(isFirstOfVersion)
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

/** Lists the packages that are bundled into the scripts of a workspace: its dependencies and theirs. */
export function listBundledPackages(
  packages: LockPackages,
  workspaces: readonly string[],
): ThirdPartyPackage[] {
  const paths = new Set<string>();
  const visit = (path: string) => {
    const { dependencies = {} } = packages[path] ?? {};
    for (const name of Object.keys(dependencies)) {
      const target = resolvePackage(packages, path, name);
      // Types are not part of a script.
      if (target === undefined || paths.has(target) || name.startsWith('@types/')) continue;
      paths.add(target);
      visit(target);
    }
  };
  for (const workspace of workspaces) visit(workspace);
  return [...paths]
    .filter((path) => path.includes('node_modules/'))
    .map((path) => toPackage(path, packages[path] ?? {}))
    .toSorted((a, b) => compare(a.name, b.name));
}

/** Finds a package as Node does: in the folder of the importer, then in each folder above. */
function resolvePackage(packages: LockPackages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]?.link) return name.replace('@cloche/', '');
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

function toPackage(path: string, { version = '', license }: LockEntry): ThirdPartyPackage {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return { name, version, license: license ?? UNDECLARED_LICENSES[name] ?? 'unknown' };
}

function isFirstOfVersion(item: ThirdPartyPackage, index: number, all: ThirdPartyPackage[]) {
  const isSame = ({ name, version }: ThirdPartyPackage) =>
    name === item.name && version === item.version;
  return all.findIndex(isSame) === index;
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
