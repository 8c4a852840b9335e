import { buildWorkspaces } from './build-workspaces.ts';

await buildWorkspaces({ onlyIfChanged: process.argv.includes('--if-changed'), printSizes: true });
