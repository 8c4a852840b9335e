import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import { Tokenizer } from '../../validation/tokenizer.ts';
import {
  collectCameraWarnings,
  collectTextureWarnings,
  findKind,
  type KindPatterns,
  TEXTURE_KINDS,
} from '../assimp/warnings.ts';
import { isBinaryFbx, readFbxRecords, readFbxValues } from './records.ts';

/** A line of the file's objects or connections: what it is, and its ids and words. */
type FbxLine = { keyword: string; values: readonly (string | number)[] };

const KEYWORDS = /^(Texture|NodeAttribute|AnimationCurveNode|Geometry|C):$/;
/** What may be animated and is seen; programs also animate much that never changes. */
const ANIMATED_KINDS: KindPatterns = [
  ['the weights of shapes', /^DeformPercent$/],
  ['colours', /Color$|^(Transparency|Opacity)/],
];
const NURBS_SURFACE = /^(Nurbs|NurbsSurface|Patch|Boundary|TrimNurbsSurface)$/;

/** What the FBX has and the library's GLB has not. */
export function collectFbxWarnings(bytes: Buffer, document: Document): ProcessingWarning[] {
  const textures = new Set<unknown>();
  const curves = new Set<unknown>();
  const shapes = new Set<unknown>();
  const pictures = new Set<string>();
  const animated = new Set<string>();
  for (const { keyword, values } of isBinaryFbx(bytes)
    ? readBinaryLines(bytes)
    : readAsciiLines(bytes)) {
    const [first, child, , channel] = values;
    if (keyword === 'Texture') textures.add(first);
    else if (keyword === 'AnimationCurveNode') curves.add(first);
    else if (keyword === 'NodeAttribute' || keyword === 'Geometry') shapes.add(values[2]);
    else if (first === 'OP' && typeof channel === 'string') {
      const kind = textures.has(child) ? findKind(TEXTURE_KINDS, channel) : undefined;
      if (kind !== undefined) pictures.add(kind);
      const change = curves.has(child) ? findKind(ANIMATED_KINDS, channel) : undefined;
      if (change !== undefined) animated.add(change);
    }
  }
  const warnings = [
    ...collectTextureWarnings('FBX', pictures),
    ...collectCameraWarnings('FBX', document, {
      camera: shapes.has('Camera'),
      light: shapes.has('Light'),
    }),
  ];
  for (const kind of animated) {
    const message = `The FBX animates ${kind}, which was not read.`;
    warnings.push({ code: 'animation.unread', message });
  }
  if (shapes.has('NurbsCurve')) {
    warnings.push({ code: 'lines.unread', message: 'The FBX has curves, which were not read.' });
  }
  if ([...shapes].some((kind) => NURBS_SURFACE.test(String(kind)))) {
    const message = 'The FBX has surfaces that are not of polygons, which were not read.';
    warnings.push({ code: 'surfaces.unread', message });
  }
  return warnings;
}

function* readBinaryLines(bytes: Buffer): Generator<FbxLine> {
  for (const part of readFbxRecords(bytes)) {
    if (part.name !== 'Objects' && part.name !== 'Connections') continue;
    for (const record of readFbxRecords(bytes, part)) {
      const keyword = record.name;
      if (KEYWORDS.test(`${keyword}:`)) yield { keyword, values: readFbxValues(bytes, record) };
    }
  }
}

function* readAsciiLines(bytes: Buffer): Generator<FbxLine> {
  for (const words = new Tokenizer(bytes); !words.isAtEnd; ) {
    const keyword = words.readToken();
    if (!KEYWORDS.test(keyword)) {
      words.skipLine();
      continue;
    }
    const values = [...words.readRestOfLine().matchAll(/"([^"]*)"|-?\d+/g)];
    yield { keyword: keyword.slice(0, -1), values: values.map(([all, text]) => text ?? all) };
  }
}
