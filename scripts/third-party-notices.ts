/** Writes THIRD-PARTY-NOTICES.md. Run it after each change of a dependency. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type LockPackages,
  listBundledPackages,
  listProductionPackages,
  type ThirdPartyPackage,
} from './third-party-packages.ts';

const ROOT = join(import.meta.dirname, '..');
export const NOTICES_FILE = join(ROOT, 'THIRD-PARTY-NOTICES.md');

/** The workspaces whose scripts browsers load. */
const BROWSER_WORKSPACES = ['viewer', 'console', 'sdk'];

/** Licenses that only require to keep their text and the copyright notice. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
];

/** Where the source code of packages under other licenses is. */
const SOURCES: Readonly<Record<string, string>> = {
  'occt-import-js':
    'https://github.com/kovacsv/occt-import-js, which contains Open CASCADE Technology, https://github.com/Open-Cascade-SAS/OCCT (LGPL-2.1 with an exception)',
  lightningcss: 'https://github.com/parcel-bundler/lightningcss',
  'lightningcss-*': 'https://github.com/parcel-bundler/lightningcss',
  'web-ifc': 'https://github.com/ThatOpen/engine_web-ifc',
  '@img/sharp-libvips-*':
    'https://github.com/lovell/sharp-libvips, which has the build scripts and the licenses of libvips and the libraries in it',
  '@img/sharp-*': 'https://github.com/lovell/sharp, with libvips as above',
};

/** Software of other authors inside a package. */
const CONTAINED: Readonly<Record<string, string>> = {
  '@sparticuz/chromium': 'Chromium: BSD-3-Clause and others, listed at `chrome://credits`',
  assimpjs: 'Open Asset Import Library (assimp): BSD-3-Clause, https://github.com/assimp/assimp',
  draco3dgltf: 'Draco: Apache-2.0, https://github.com/google/draco',
  node: 'Node.js: MIT and others, listed in https://github.com/nodejs/node/blob/main/LICENSE',
  three:
    'Basis Universal transcoder (Binomial LLC, Apache-2.0), meshoptimizer decoder (Arseny Kapoulkine, MIT), zstddec (Don McCurdy, MIT; with Zstandard, BSD-3-Clause), ktx-parse (Don McCurdy, MIT)',
};

/** Authors of packages without a file that contains their license. */
const AUTHORS: Readonly<Record<string, string>> = {
  'combine-errors': 'Matthew Mueller',
  'custom-error-instance': 'James Speirs',
};

const ISC_TEXT = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`;

const MIT_TEXT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const LICENSE_TEXTS: Readonly<Record<string, string>> = { MIT: MIT_TEXT, ISC: ISC_TEXT };

/** Finds packages that need a decision of a person: one line for each. */
export function findMissingDecisions(packages: LockPackages): string[] {
  const production = listProductionPackages(packages);
  const names = new Set(production.map(({ name }) => name));
  return [
    ...production
      .filter((item) => !isPermissive(item) && findSource(item) === undefined)
      .map(({ name, license }) => `${name} (${license}) has no entry in SOURCES`),
    ...Object.keys(CONTAINED)
      .filter((name) => !names.has(name))
      .map((name) => `CONTAINED names ${name}, which is not installed`),
    ...Object.keys(SOURCES)
      .filter((pattern) => !production.some(({ name }) => matches(pattern, name)))
      .map((pattern) => `SOURCES names ${pattern}, which is not installed`),
  ];
}

/** Creates the text of THIRD-PARTY-NOTICES.md. Needs the installed packages. */
export function createNotices(packages: LockPackages): string {
  const production = listProductionPackages(packages);
  const bundled = listBundledPackages(packages, BROWSER_WORKSPACES);
  const others = production.filter((item) => !isPermissive(item));
  return `# Third-party notices

Cloche is under the MIT license, see [LICENSE](LICENSE). It uses the software below. This file is written by
\`scripts/third-party-notices.ts\`.

## What these licenses require

The packages in this section are installed by npm, unmodified, as files of their own in \`node_modules\`. They run in a process of their own on
the server and are not part of what browsers load. You may replace each with a modified version. Their licenses are in the packages. If you
give Cloche to others with \`node_modules\`, such as in a container image, give them these licenses and this list: it says where the
source code is.

| Package | Version | License | Source code |
|---|---|---|---|
${others.map((item) => `| \`${item.name}\` | ${item.version} | ${item.license} | ${findSource(item)} |`).join('\n')}

## Software inside packages

| Package | Contains |
|---|---|
${Object.entries(CONTAINED)
  .map(([name, text]) => `| \`${name}\` | ${text} |`)
  .join('\n')}

## All packages

What \`npm ci --omit=dev\` installs, on some platform, with the license that each package declares.

| Package | Version | License |
|---|---|---|
${production.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`).join('\n')}

## In the scripts that browsers load

${bundled.map(formatWithLicense).join('\n\n')}
`;
}

function formatWithLicense(item: ThirdPartyPackage): string {
  const { name, version, license } = item;
  return `### ${name} ${version}\n\n${license}\n\n\`\`\`\n${readLicense(item)}\n\`\`\``;
}

/** Reads the license file of a package, or writes its license with the name of its author. */
function readLicense({ name, license }: ThirdPartyPackage): string {
  const folder = join(ROOT, 'node_modules', name);
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file !== undefined) {
    return readFileSync(join(folder, file), 'utf8').trim().replaceAll('\r', '');
  }
  const [author, text] = [AUTHORS[name], LICENSE_TEXTS[license]];
  if (author === undefined || text === undefined) {
    throw new Error(`${name} has no license file: add its author to AUTHORS.`);
  }
  return `Copyright (c) ${author}\n\n${text}`;
}

function isPermissive({ license }: ThirdPartyPackage): boolean {
  return PERMISSIVE.includes(license);
}

function findSource({ name }: ThirdPartyPackage): string | undefined {
  return Object.entries(SOURCES).find(([pattern]) => matches(pattern, name))?.[1];
}

const matches = (pattern: string, name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Reads package-lock.json. */
export function readLockPackages(): LockPackages {
  return JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
}

if (import.meta.main) writeFileSync(NOTICES_FILE, createNotices(readLockPackages()));
