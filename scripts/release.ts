import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWorkspaces } from './build-workspaces.ts';
import { writeReleasePackage } from './release-package.ts';
import { createSbom } from './release-sbom.ts';

/** Writes the files of a release to the folder `dist`, or the one given: the package, and its bill of materials. */
const [target = join(import.meta.dirname, '../dist')] = process.argv.slice(2);
await buildWorkspaces({ onlyIfChanged: true });
await mkdir(target, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'cloche-release-'));
try {
  await writeReleasePackage(folder);
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', target, folder]);
  console.log(join(target, `cloche-${version}.tgz`));
  const sbomFile = join(target, `cloche-${version}.cdx.json`);
  await writeFile(sbomFile, `${JSON.stringify(await createSbom(), null, 2)}\n`);
  console.log(sbomFile);
} finally {
  await rm(folder, { recursive: true, force: true });
}
