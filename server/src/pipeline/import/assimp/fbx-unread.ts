import type { Document } from '@gltf-transform/core';
import type { Warning } from '../../report.ts';
import { Words } from '../words.ts';
import { isBinary, readRecords, readValues } from './fbx-records.ts';
import { type Kinds, kindOf, PICTURES, tellCameras, tellPictures } from './unread.ts';

/** A line of the file's objects or connections: what it is, and its ids and words. */
type Line = { keyword: string; values: readonly (string | number)[] };

const KEYWORDS = /^(Texture|NodeAttribute|AnimationCurveNode|Geometry|C):$/;
/** What may be animated and is seen; programs also animate much that never changes. */
const ANIMATED: Kinds = [
  ['the weights of shapes', /^DeformPercent$/],
  ['colours', /Color$|^(Transparency|Opacity)/],
];
const SURFACE = /^(Nurbs|NurbsSurface|Patch|Boundary|TrimNurbsSurface)$/;

/** What the FBX has and the library's GLB has not. */
export function tellFbx(bytes: Buffer, document: Document): Warning[] {
  const textures = new Set<unknown>();
  const curves = new Set<unknown>();
  const shapes = new Set<unknown>();
  const pictures = new Set<string>();
  const animated = new Set<string>();
  for (const { keyword, values } of isBinary(bytes) ? binaryLines(bytes) : textLines(bytes)) {
    const [first, child, , channel] = values;
    if (keyword === 'Texture') textures.add(first);
    else if (keyword === 'AnimationCurveNode') curves.add(first);
    else if (keyword === 'NodeAttribute' || keyword === 'Geometry') shapes.add(values[2]);
    else if (first === 'OP' && typeof channel === 'string') {
      const kind = textures.has(child) ? kindOf(PICTURES, channel) : undefined;
      if (kind !== undefined) pictures.add(kind);
      const change = curves.has(child) ? kindOf(ANIMATED, channel) : undefined;
      if (change !== undefined) animated.add(change);
    }
  }
  const warnings = [
    ...tellPictures('FBX', pictures),
    ...tellCameras('FBX', document, { camera: shapes.has('Camera'), light: shapes.has('Light') }),
  ];
  for (const kind of animated) {
    const message = `The FBX animates ${kind}, which was not read.`;
    warnings.push({ code: 'animation.unread', message });
  }
  if (shapes.has('NurbsCurve')) {
    warnings.push({ code: 'lines.unread', message: 'The FBX has curves, which were not read.' });
  }
  if ([...shapes].some((kind) => SURFACE.test(String(kind)))) {
    const message = 'The FBX has surfaces that are not of polygons, which were not read.';
    warnings.push({ code: 'surfaces.unread', message });
  }
  return warnings;
}

function* binaryLines(bytes: Buffer): Generator<Line> {
  for (const part of readRecords(bytes)) {
    if (part.name !== 'Objects' && part.name !== 'Connections') continue;
    for (const record of readRecords(bytes, part)) {
      const keyword = record.name;
      if (KEYWORDS.test(`${keyword}:`)) yield { keyword, values: readValues(bytes, record) };
    }
  }
}

function* textLines(bytes: Buffer): Generator<Line> {
  for (const words = new Words(bytes); !words.done; ) {
    const keyword = words.word();
    if (!KEYWORDS.test(keyword)) {
      words.nextLine();
      continue;
    }
    const values = [...words.rest().matchAll(/"([^"]*)"|-?\d+/g)];
    yield { keyword: keyword.slice(0, -1), values: values.map(([all, text]) => text ?? all) };
  }
}
