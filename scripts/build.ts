import { buildViewer } from './viewer.ts';

await buildViewer({ onlyIfChanged: process.argv.includes('--if-changed'), tellSizes: true });
