import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCephConfig } from '../../scripts/radosgw/ceph-config.ts';
import { BASE_IMAGE } from './build-images.ts';
import type { Podman } from './podman.ts';

/** The images of compose.yaml that come from a registry, by their targets in images/Containerfile. */
const REGISTRY_IMAGES = {
  postgres: 'docker.io/library/postgres:18',
  nginx: 'docker.io/library/nginx:1',
  caddy: 'docker.io/library/caddy:2',
  s3: 'docker.io/versity/versitygw:v1.8.0',
};

/** Builds images with these names from Debian's packages. Returns the names. */
export async function buildRegistryImages(podman: Podman): Promise<string[]> {
  const context = join(podman.folder, 'images');
  await cp(join(import.meta.dirname, 'images'), context, { recursive: true });
  const ceph = { folder: '/tmp/ceph', fsid: crypto.randomUUID() };
  const ports = { gatewayHost: '0.0.0.0', gatewayPort: 7070, monitorPort: 6789 };
  await writeFile(join(context, 'ceph.conf'), formatCephConfig({ ...ceph, ...ports }));
  for (const [target, name] of Object.entries(REGISTRY_IMAGES))
    await podman.build(
      ...['--format', 'docker', '--target', target, '--tag', name],
      ...['--build-arg', `BASE_IMAGE=${BASE_IMAGE}`, context],
    );
  return Object.values(REGISTRY_IMAGES);
}
