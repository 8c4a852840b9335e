import { buildViewer } from './build-viewer.ts';

await buildViewer({ onlyIfChanged: process.argv.includes('--if-changed'), printSizes: true });
