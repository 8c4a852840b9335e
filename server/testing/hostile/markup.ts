import { makeDae } from '../formats/dae.ts';
import { type Canary, type Hostile, hostile, type Row } from './file.ts';
import { collada, threemf, threemfFiles } from './sound.ts';
import { zip } from './zip.ts';

/** COLLADA and 3MF. */
export function hostileMarkup(canary: Canary): Hostile[] {
  return [...hostile('COLLADA', colladas(canary)), ...hostile('3MF', threemfs(canary))];
}

function laughs(): string {
  const entities = Array.from(
    { length: 10 },
    (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
  );
  return `<!DOCTYPE lolz [<!ENTITY l0 "lol">${entities.join('')}]>`;
}

function external(address: string): string {
  return `<!DOCTYPE a [<!ENTITY x SYSTEM "${address}">]>`;
}

function colladas({ file, url }: Canary): Row[] {
  // One that is worn: nobody asks for an image beside that.
  const image = (address: string) => () => makeDae({ texture: address });
  const node = (id: string, body: string) => `<node id="${id}">${body}</node>`;
  const instance = (id: string) => `<instance_node url="#${id}"/>`;
  const doubling = Array.from({ length: 40 }, (_, at) =>
    node(`n${at}`, instance(`n${at + 1}`).repeat(2)),
  );
  return [
    ['a billion laughs', () => collada({ head: laughs(), image: '<extra>&l10;</extra>' })],
    [
      'an entity in a file',
      () => collada({ head: external(`file://${file}`), image: '<extra>&x;</extra>' }),
    ],
    [
      'an entity on the network',
      () => collada({ head: external(url), image: '<extra>&x;</extra>' }),
    ],
    ['a type on the network', () => collada({ head: `<!DOCTYPE COLLADA SYSTEM "${url}/a.dtd">` })],
    [
      'an entity in a file, in UTF-16',
      () => Buffer.from(`\ufeff${collada({ head: external(file) })}`, 'utf16le'),
    ],
    ['UTF-16 without a mark', () => Buffer.from(collada({ head: external(file) }), 'utf16le')],
    ['an image in a file', image(`file://${file}`), 'ready without a texture'],
    ['an image up the tree', image(`../../../../..${file}`), 'ready without a texture'],
    ['an image on the network', image(`${url}/a.png`), 'ready without a texture'],
    [
      '5000 nodes within each other',
      () => collada({ nodes: '<node>'.repeat(5000) + '</node>'.repeat(5000) }),
    ],
    ['a million nodes', () => collada({ nodes: '<node/>'.repeat(1e6) })],
    ['1e9 numbers, it says', () => collada({ count: '1000000000' })],
    ['-1 numbers', () => collada({ count: '-1' })],
    ['a node within itself', () => collada({ nodes: node('a', instance('a')) })],
    [
      'two nodes within each other',
      () => collada({ nodes: node('a', instance('b')) + node('b', instance('a')) }),
    ],
    ['40 nodes, each the next one twice', () => collada({ nodes: doubling.join('') })],
    ['a tag of 10 MB', () => collada({ image: `<extra a="${'a'.repeat(10e6)}"/>` })],
    ['100 000 attributes', () => collada({ image: `<extra ${'a="" '.repeat(1e5)}/>` })],
    ['tags that cross', () => collada({ image: '<a><b></a></b>' })],
    ['a comment without an end', () => collada({ image: '<!-- ' })],
    ['nothing in it', () => '<?xml version="1.0"?><COLLADA'],
  ];
}

function threemfs({ file, url }: Canary): Row[] {
  const packed = (model: Parameters<typeof threemf>[0]) => () =>
    zip(threemfFiles({ model: threemf(model) }));
  const object = (id: number, parts: string) =>
    `<object id="${id}"><components>${parts}</components></object>`;
  const part = (id: number) => `<component objectid="${id}"/>`;
  const mesh = (place: string, corner: string) =>
    `<mesh><vertices><vertex x="${place}" y="0" z="0"/></vertices><triangles><triangle v1="0" v2="0" v3="${corner}"/></triangles></mesh>`;
  const doubling = Array.from({ length: 40 }, (_, at) => object(at + 2, part(at + 1).repeat(2)));
  return [
    ['a relationship to a file', () => zip(threemfFiles({ target: `file://${file}` }))],
    ['a relationship to the network', () => zip(threemfFiles({ target: url, mode: 'External' }))],
    ['a billion laughs', packed({ head: laughs() })],
    ['an entity in a file', packed({ head: external(file) })],
    ['an object within itself', packed({ objects: object(2, part(2)), build: 2 })],
    [
      'two objects within each other',
      packed({ objects: object(2, part(3)) + object(3, part(2)), build: 2 }),
    ],
    ['40 objects, each the one before twice', packed({ objects: doubling.join(''), build: 41 })],
    ['an object twice', packed({ objects: object(1, '') })],
    ['a corner that is not there', packed({ mesh: mesh('0', '1') })],
    ['corner 99 999 999 999', packed({ mesh: mesh('0', '99999999999') })],
    ['a corner that is no number', packed({ mesh: mesh('0', '0x0') })],
    ['a vertex at NaN', packed({ mesh: mesh('NaN', '0') })],
    ['a vertex at 1e39', packed({ mesh: mesh('1e39', '0') })],
    ['a vertex at no place', packed({ mesh: mesh('', '0') })],
    [
      '5000 elements within each other',
      packed({ objects: '<a>'.repeat(5000) + '</a>'.repeat(5000) }),
    ],
    ['no triangles', packed({ mesh: '' })],
    [
      'an archive name that leads out',
      () => zip([...threemfFiles(), { name: '../a.png', bytes: 'a' }]),
    ],
    ['64 MB of blanks', packed({ objects: ' '.repeat(64e6) })],
    ['cut short', () => zip(threemfFiles({ model: threemf().slice(0, 300) }))],
  ];
}
