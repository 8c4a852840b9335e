import { makeDae } from '../formats/dae.ts';
import { makeRawZip } from '../formats/raw-zip.ts';
import {
  type CanaryTargets,
  type HostileFile,
  type HostileFileCase,
  toHostileFiles,
} from './hostile-file.ts';
import { make3mfModelXml, make3mfZipEntries, makeMinimalCollada } from './valid-files.ts';

/** Malicious COLLADA and 3MF files. */
export function listHostileXmlFiles(canary: CanaryTargets): HostileFile[] {
  return [
    ...toHostileFiles('COLLADA', [...hostileColladas(canary), ...hostileColladaNodes()]),
    ...toHostileFiles('3MF', hostile3mfs(canary)),
  ];
}

function billionLaughs(): string {
  const entities = Array.from(
    { length: 10 },
    (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
  );
  return `<!DOCTYPE lolz [<!ENTITY l0 "lol">${entities.join('')}]>`;
}

function externalEntity(address: string): string {
  return `<!DOCTYPE a [<!ENTITY x SYSTEM "${address}">]>`;
}

function hostileColladas({ filePath, url }: CanaryTargets): HostileFileCase[] {
  // A material uses the image, because unused images are not loaded.
  const image = (address: string) => () => makeDae({ texture: address });
  return [
    [
      'a billion laughs',
      () => makeMinimalCollada({ head: billionLaughs(), image: '<extra>&l10;</extra>' }),
    ],
    [
      'an entity in a file',
      () =>
        makeMinimalCollada({
          head: externalEntity(`file://${filePath}`),
          image: '<extra>&x;</extra>',
        }),
    ],
    [
      'an entity on the network',
      () => makeMinimalCollada({ head: externalEntity(url), image: '<extra>&x;</extra>' }),
    ],
    [
      'a document type on the network',
      () => makeMinimalCollada({ head: `<!DOCTYPE COLLADA SYSTEM "${url}/a.dtd">` }),
    ],
    [
      'an entity in a file, in UTF-16',
      () =>
        Buffer.from(`\ufeff${makeMinimalCollada({ head: externalEntity(filePath) })}`, 'utf16le'),
    ],
    [
      'UTF-16 without a byte order mark',
      () => Buffer.from(makeMinimalCollada({ head: externalEntity(filePath) }), 'utf16le'),
    ],
    ['an image in a file', image(`file://${filePath}`), 'ready without a texture'],
    [
      'an image in a parent directory',
      image(`../../../../..${filePath}`),
      'ready without a texture',
    ],
    ['an image on the network', image(`${url}/a.png`), 'ready without a texture'],
    [
      '5000 nested nodes',
      () => makeMinimalCollada({ nodes: '<node>'.repeat(5000) + '</node>'.repeat(5000) }),
    ],
    ['a million nodes', () => makeMinimalCollada({ nodes: '<node/>'.repeat(1e6) })],
    ['1e9 declared numbers', () => makeMinimalCollada({ count: '1000000000' })],
    ['-1 numbers', () => makeMinimalCollada({ count: '-1' })],
    ['a tag of 10 MB', () => makeMinimalCollada({ image: `<extra a="${'a'.repeat(10e6)}"/>` })],
    ['100 000 attributes', () => makeMinimalCollada({ image: `<extra ${'a="" '.repeat(1e5)}/>` })],
    ['elements that overlap', () => makeMinimalCollada({ image: '<a><b></a></b>' })],
    ['a comment without an end', () => makeMinimalCollada({ image: '<!-- ' })],
    ['no content', () => '<?xml version="1.0"?><COLLADA'],
  ];
}

/** COLLADA nodes that contain themselves or multiply. */
function hostileColladaNodes(): HostileFileCase[] {
  const node = (id: string, body: string) => `<node id="${id}">${body}</node>`;
  const instance = (id: string) => `<instance_node url="#${id}"/>`;
  const doubling = Array.from({ length: 40 }, (_, index) =>
    node(`n${index}`, instance(`n${index + 1}`).repeat(2)),
  );
  return [
    ['a node within itself', () => makeMinimalCollada({ nodes: node('a', instance('a')) })],
    [
      'a node within itself, by its name',
      () => makeMinimalCollada({ nodes: `<node id="a" name="b">${instance('b')}</node>` }),
    ],
    [
      'a node within itself, by a character reference',
      () => makeMinimalCollada({ nodes: node('a', '<instance_node url="&#35;&#x61;"/>') }),
    ],
    [
      'a node within itself, by a predefined entity',
      () => makeMinimalCollada({ nodes: node('&lt;', instance('&#60;')) }),
    ],
    [
      'a node within itself, by a line break for a space',
      () => makeMinimalCollada({ nodes: node('a b', instance('a\nb')) }),
    ],
    [
      'a node within itself, by a reference to a letter that is not ASCII',
      () => makeMinimalCollada({ nodes: node('é', instance('&#233;')) }),
    ],
    [
      'two nodes within each other',
      () => makeMinimalCollada({ nodes: node('a', instance('b')) + node('b', instance('a')) }),
    ],
    [
      '40 nodes, each with two instances of the next',
      () => makeMinimalCollada({ nodes: doubling.join('') }),
    ],
  ];
}

function hostile3mfs({ filePath, url }: CanaryTargets): HostileFileCase[] {
  const packed = (model: Parameters<typeof make3mfModelXml>[0]) => () =>
    makeRawZip(make3mfZipEntries({ model: make3mfModelXml(model) }));
  const object = (id: number, parts: string) =>
    `<object id="${id}"><components>${parts}</components></object>`;
  const part = (id: number) => `<component objectid="${id}"/>`;
  const mesh = (x: string, v3: string) =>
    `<mesh><vertices><vertex x="${x}" y="0" z="0"/></vertices><triangles><triangle v1="0" v2="0" v3="${v3}"/></triangles></mesh>`;
  const doubling = Array.from({ length: 40 }, (_, index) =>
    object(index + 2, part(index + 1).repeat(2)),
  );
  return [
    [
      'a relationship to a file',
      () => makeRawZip(make3mfZipEntries({ target: `file://${filePath}` })),
    ],
    [
      'a relationship to the network',
      () => makeRawZip(make3mfZipEntries({ target: url, mode: 'External' })),
    ],
    ['a billion laughs', packed({ head: billionLaughs() })],
    ['an entity in a file', packed({ head: externalEntity(filePath) })],
    ['an object within itself', packed({ objects: object(2, part(2)), build: 2 })],
    [
      'an object within itself, by a character reference',
      packed({
        objects: '<object id="2"><components><component objectid="&#50;"/></components></object>',
        build: 2,
      }),
    ],
    [
      'two objects within each other',
      packed({ objects: object(2, part(3)) + object(3, part(2)), build: 2 }),
    ],
    [
      '40 objects, each with the previous one twice',
      packed({ objects: doubling.join(''), build: 41 }),
    ],
    ['two objects with the same id', packed({ objects: object(1, '') })],
    ['an index without a vertex', packed({ mesh: mesh('0', '1') })],
    ['vertex index 99 999 999 999', packed({ mesh: mesh('0', '99999999999') })],
    ['a vertex index that is not a decimal number', packed({ mesh: mesh('0', '0x0') })],
    ['a vertex at NaN', packed({ mesh: mesh('NaN', '0') })],
    ['a vertex at 1e39', packed({ mesh: mesh('1e39', '0') })],
    ['a vertex with an empty coordinate', packed({ mesh: mesh('', '0') })],
    ['5000 nested elements', packed({ objects: '<a>'.repeat(5000) + '</a>'.repeat(5000) })],
    ['no triangles', packed({ mesh: '' })],
    [
      'an entry name that leads out of the archive',
      () => makeRawZip([...make3mfZipEntries(), { name: '../a.png', bytes: 'a' }]),
    ],
    ['64 MB of spaces', packed({ objects: ' '.repeat(64e6) })],
    ['truncated', () => makeRawZip(make3mfZipEntries({ model: make3mfModelXml().slice(0, 300) }))],
  ];
}
