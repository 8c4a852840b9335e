import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Which of the components `npm sbom` marks as those of development. */
const DEVELOPMENT = 'cdx:npm:package:development';

type Component = {
  'bom-ref': string;
  name: string;
  version: string;
  purl: string;
  properties?: { name: string }[];
  hashes?: { alg: string; content: string }[];
};

/** A software bill of materials in the format CycloneDX. */
export type Sbom = {
  bomFormat: string;
  specVersion: string;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

/**
 * Lists the packages that a release may install, on any platform, and those in the scripts of the viewer.
 *
 * `npm sbom --omit dev` leaves out what only a workspace depends on, such as sharp. So it lists all, and the packages
 * of development are removed here.
 */
export async function createSbom(): Promise<Sbom> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout } = await promisify(execFile)('npm', args, {
    cwd: ROOT,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const sbom: Sbom = JSON.parse(stdout);
  const components = sbom.components.filter(
    ({ properties = [] }) => !properties.some(({ name }) => name === DEVELOPMENT),
  );
  const { component } = sbom.metadata;
  const refs = new Set([component, ...components].map((item) => item['bom-ref']));
  return {
    ...sbom,
    // npm names it after the folder of the sources.
    metadata: { ...sbom.metadata, component: { ...component, name: 'cloche' } },
    components,
    dependencies: sbom.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((to) => refs.has(to)) })),
  };
}
