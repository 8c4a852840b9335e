/**
 * Compares size, time and similarity of our models with two other optimizers at their usual settings:
 * `gltf-transform optimize --compress meshopt --texture-compress webp` and `gltfpack -cc`.
 *
 * Uses the GLB files in the folder CLOCHE_BENCH_MODELS, or generated models. Ratios are our bytes to
 * those of the smaller of the other two; lower is better. Seconds are for a whole process.
 *
 * November 2026, gltf-transform 4.5.1 and gltfpack 1.3, two shared cores. Bytes, SSIM, seconds:
 *
 *                           ours                     gltf-transform              gltfpack
 *   a box           0.73      1,336  1.0000  0.7 s       1,832  1.0000  1.4 s      1,820  1.0000  0.1 s
 *   a textured box  0.89      1,984  1.0000  0.5 s       2,224  1.0000  0.3 s      2,628  1.0000  0.1 s
 *   a field         0.84     68,940  0.9998  0.4 s      81,848  0.9998  0.8 s    117,584  0.9999  0.1 s
 *   Box             0.76      1,408  1.0000  0.3 s       1,924  1.0000  0.5 s      1,852  1.0000  0.1 s
 *   Fox             0.89     52,304  0.9996  0.8 s      73,312  0.9968  0.6 s     58,948  0.9982  0.2 s
 *   WaterBottle     0.83    212,132  0.9966  8.6 s     255,956  0.9966  2.8 s  9,256,736  0.9996  0.3 s
 *   FlightHelmet    0.79    852,400  0.9929  5.5 s   1,072,484  0.9881  1.9 s  4,550,748  0.9990  0.3 s
 *   Tower           0.77     73,228  0.9967  6.0 s      94,744  0.9975  1.1 s    497,212  0.9957  0.3 s
 *
 * gltfpack does not compress textures, so textured models are compared with gltf-transform. We need up
 * to six times its time on real models: for smaller WebP, reordering, instancing, and the preview.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { makeBox, makeGridGlb } from '@cloche/pipeline/testing/models';
import { openChromium } from '../../e2e/chromium.ts';
import { type RgbImage, ssim } from '../../e2e/ssim.ts';
import { describeFidelity } from './fidelity.ts';
import { ScreenshotSession } from './screenshot-session.ts';

const execFileAsync = promisify(execFile);

type Optimizer = { name: string; command: (from: string, to: string) => string[] };

const OPTIMIZERS: Optimizer[] = [
  {
    name: 'ours',
    command: (from, to) => [join(import.meta.dirname, 'optimize-file.ts'), from, to],
  },
  {
    name: 'gltf-transform',
    command: (from, to) => [
      toScriptPath('@gltf-transform/cli', 'bin/cli.js'),
      ...['optimize', from, to, '--compress', 'meshopt', '--texture-compress', 'webp'],
    ],
  },
  {
    name: 'gltfpack',
    command: (from, to) => [toScriptPath('gltfpack', 'cli.js'), '-cc', '-i', from, '-o', to],
  },
];

type OptimizerResult = { bytes: number; seconds: number; similarity: string; fidelity: string };

/** Prints a line for each model: bytes, seconds, and the lowest similarity of three screenshots. */
export async function benchOptimize(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-bench-'));
  const browser = await openChromium();
  try {
    await using screenshots = await ScreenshotSession.open(browser);
    console.log(
      'Our bytes relative to the smaller other result; bytes / seconds / SSIM (lowest of three views)',
    );
    for (const path of await listModels(folder)) {
      const file = await readFile(path);
      const original = await screenshots.capture(file, file);
      const results = new Map<string, OptimizerResult>();
      for (const optimizer of OPTIMIZERS)
        results.set(
          optimizer.name,
          await runOptimizer(optimizer, { path, folder, screenshots, file, original }),
        );
      printResult(path, file.length, results);
    }
  } finally {
    await browser.close();
    await rm(folder, { recursive: true });
  }
}

async function listModels(folder: string): Promise<string[]> {
  const modelFolder = process.env.CLOCHE_BENCH_MODELS;
  if (modelFolder) {
    const files = (await readdir(modelFolder)).filter((file) => file.endsWith('.glb'));
    return files.sort().map((file) => join(modelFolder, file));
  }
  const models = {
    'a box': makeBox(),
    'a textured box': makeBox({ textured: true }),
    // 160 x 160 cells: an incomplete row would leave vertices without a triangle.
    'a field of 51,200 triangles': makeGridGlb(2 * 160 ** 2),
  };
  return Promise.all(
    Object.entries(models).map(async ([name, bytes]) => {
      const path = join(folder, `${name}.glb`);
      await writeFile(path, bytes);
      return path;
    }),
  );
}

async function runOptimizer(
  optimizer: Optimizer,
  input: {
    path: string;
    folder: string;
    screenshots: ScreenshotSession;
    file: Uint8Array;
    original: RgbImage[];
  },
): Promise<OptimizerResult> {
  const to = join(input.folder, `${optimizer.name}.glb`);
  const start = performance.now();
  await execFileAsync(process.execPath, optimizer.command(input.path, to));
  const seconds = (performance.now() - start) / 1000;
  const model = await readFile(to);
  const images = await input.screenshots.capture(model, input.file).catch(() => undefined);
  const similarities = images?.map((image, index) =>
    ssim(input.original[index] as RgbImage, image),
  );
  return {
    bytes: model.length,
    seconds,
    fidelity: optimizer.name === 'ours' ? await describeFidelity(input.file, model) : '',
    similarity: similarities ? Math.min(...similarities).toFixed(4) : 'no screenshot',
  };
}

function printResult(
  path: string,
  bytes: number,
  results: ReadonlyMap<string, OptimizerResult>,
): void {
  const { ours, ...others } = Object.fromEntries(results);
  const smallestBytes = Math.min(...Object.values(others).map((result) => result.bytes));
  const columns = [...results].map(
    ([name, result]) =>
      `${name} ${result.bytes} / ${result.seconds.toFixed(1)} s / ${result.similarity}`,
  );
  const ratio = ((ours?.bytes ?? 0) / smallestBytes).toFixed(2).padStart(6);
  console.log(`${ratio}  ${basename(path, '.glb')} (${bytes}): ${columns.join('; ')}`);
  console.log(`        ours: ${ours?.fidelity}`);
}

function toScriptPath(name: string, path: string): string {
  return join(import.meta.dirname, '../../node_modules', name, path);
}
