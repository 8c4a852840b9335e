/** The modules that each module may import, in addition to itself and `contract`. */
export const ALLOWED_IMPORTS: Record<string, readonly string[]> = {
  contract: [],
  viewer: [],
  // The page of a design controls its view as pages of others do.
  console: ['sdk'],
  // In third-party pages: of the contract, only what has no dependencies.
  sdk: [],
  demo: ['scripts', 'server/testing'],

  'pipeline/validation': [],
  'pipeline/mesh': ['pipeline/validation'],
  // Every folder of a format. A format with an entry of its own may import those modules as well.
  'pipeline/formats/*': [
    'pipeline/formats/assimp',
    'pipeline/formats/occt',
    'pipeline/mesh',
    'pipeline/validation',
  ],
  'pipeline/formats/assimp': ['pipeline/formats/gltf'],
  'pipeline/formats': ['pipeline/formats/*', 'pipeline/mesh', 'pipeline/validation'],
  'pipeline/validation-worker': ['pipeline/formats', 'pipeline/sandbox', 'pipeline/validation'],
  'pipeline/optimize': [
    'pipeline',
    'pipeline/formats/gltf',
    'pipeline/mesh',
    'pipeline/validation',
  ],
  'pipeline/poster': ['pipeline', 'pipeline/sandbox'],
  'pipeline/sandbox': ['pipeline', 'pipeline/formats', 'pipeline/validation'],
  'pipeline/sandbox/worker': [
    'pipeline',
    'pipeline/formats',
    'pipeline/optimize',
    'pipeline/sandbox',
  ],
  // The files in pipeline/src: types that the service and the sandboxed worker share.
  pipeline: [],

  // Infrastructure
  'server/cache': [],
  'server/config': [
    'pipeline/poster',
    'pipeline/sandbox',
    'server/blobs',
    'server/http',
    'server/quotas',
  ],
  'server/disk': [],
  'server/blobs': ['server/cache', 'server/database', 'server/disk'],
  'server/database': ['server/cache'],
  'server/events': ['server/database'],
  'server/http': ['server/blobs', 'server/database', 'server/disk'],

  'server/users': ['server/database', 'server/events', 'server/http'],
  'server/quotas': ['server/database'],
  'server/tokens': [
    'server/cache',
    'server/database',
    'server/events',
    'server/http',
    'server/users',
  ],
  'server/processing': [
    'pipeline',
    'pipeline/formats',
    'pipeline/poster',
    'pipeline/sandbox',
    'pipeline/validation-worker',
    'server/blobs',
    'server/cache',
    'server/database',
    'server/events',
    'server/disk',
    'server/http',
    'server/metrics',
  ],
  'server/designs': [
    'pipeline/formats',
    'pipeline/validation-worker',
    'server/blobs',
    'server/cache',
    'server/database',
    'server/disk',
    'server/events',
    'server/http',
    'server/processing',
    'server/quotas',
    'server/tokens',
  ],
  'server/uploads': [
    'server/blobs',
    'server/database',
    'server/designs',
    'server/disk',
    'server/events',
    'server/http',
    'server/tokens',
  ],
  'server/embed-usage': ['server/cache', 'server/database', 'server/http', 'server/tokens'],
  'server/embed': [
    'server/blobs',
    'server/cache',
    'server/designs',
    'server/embed-usage',
    'server/http',
    'server/tokens',
    'server/users',
  ],
  'server/page-check': ['server/designs', 'server/embed', 'server/http', 'server/tokens'],
  'server/nodes': ['server/database', 'server/tokens'],
  // What operators read and change: about all users.
  'server/operator': [
    'server/blobs',
    'server/database',
    'server/designs',
    'server/disk',
    'server/events',
    'server/http',
    'server/metrics',
    'server/nodes',
    'server/processing',
    'server/quotas',
    'server/tokens',
    'server/users',
  ],
  'server/docs': ['server/http'],
  'server/metrics': [
    'server/blobs',
    'server/cache',
    'server/database',
    'server/disk',
    'server/http',
  ],
  'server/console': ['server/http'],
  'server/sdk': ['server/http'],
  // Runs before or in parallel to the application, so it may use any store.
  'server/startup': [
    'server/blobs',
    'server/cache',
    'server/config',
    'server/database',
    'server/designs',
    'server/disk',
    'server/events',
    'server/http',
    'server/metrics',
    'server/nodes',
    'server/processing',
    'server/tokens',
    'server/uploads',
    'server/users',
  ],
  // Backups, moves and checks of whole installations.
  'server/installation': [
    'server/blobs',
    'server/config',
    'server/database',
    'server/designs',
    'server/disk',
    'server/startup',
  ],
  'server/commands': [
    'server/blobs',
    'server/config',
    'server/database',
    'server/disk',
    'server/http',
    'server/installation',
    'server/quotas',
    'server/startup',
    'server/tokens',
    'server/users',
  ],
  // main.ts, serve.ts, app.ts and register-routes.ts may import every module.
  server: ['pipeline/*', 'server/*'],
};

const CONFIG_FILES = ['config.ts', 'bucket-config.ts', 'environment.ts'].map(
  (file) => `server/src/${file}`,
);

/** Whether the table allows a module to import another. */
export function mayImport(importer: string, target: string): boolean {
  if (importer === target || target === 'contract') return true;
  const allowed = [
    ...(ALLOWED_IMPORTS[importer] ?? []),
    ...(isFormatFolder(importer) ? (ALLOWED_IMPORTS['pipeline/formats/*'] ?? []) : []),
  ];
  return allowed.some((pattern) =>
    pattern.endsWith('/*') ? target.startsWith(pattern.slice(0, -1)) : target === pattern,
  );
}

/**
 * The module of a file: its workspace, in `server` and `pipeline` also its folder, and in `formats`
 * the folder of the format. `sandbox/worker` is a module of its own, and so are the `CONFIG_FILES`.
 */
export function getModule(path: string): string {
  const [workspace = '', ...folders] = path.replace('/src/', '/').split('/').slice(0, -1);
  const [folder, subfolder] = folders;
  if (CONFIG_FILES.includes(path)) return 'server/config';
  if (folder === undefined || !['server', 'pipeline'].includes(workspace)) return workspace;
  // `zip` imports the other formats, because an archive may contain a model of any of them. So it
  // belongs to `pipeline/formats`.
  const isOwnModule =
    subfolder !== undefined &&
    ((folder === 'formats' && subfolder !== 'zip') || subfolder === 'worker');
  return [workspace, folder, ...(isOwnModule ? [subfolder] : [])].join('/');
}

function isFormatFolder(module: string): boolean {
  return module.startsWith('pipeline/formats/');
}
