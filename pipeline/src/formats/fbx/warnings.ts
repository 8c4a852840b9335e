import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import { ignoredWarning } from '../../mesh/import-warnings.ts';
import { Tokenizer } from '../../validation/tokenizer.ts';
import {
  collectCameraAndLightWarnings,
  collectTextureWarnings,
  findKind,
  type KindPatterns,
  TEXTURE_KINDS,
} from '../assimp/warnings.ts';
import { isBinaryFbx, readFbxProperties, readFbxRecords } from './records.ts';

/** An object or a connection of the file: its keyword, and its ids and strings. */
type FbxEntry = { keyword: string; values: readonly (string | number)[] };

const KEYWORDS = /^(Texture|NodeAttribute|AnimationCurveNode|Geometry|C):$/;
/** Properties whose animation is visible. Programs also write curves for properties that never change. */
const ANIMATED_KINDS: KindPatterns = [
  ['morph target weights', /^DeformPercent$/],
  ['colors', /Color$|^(Transparency|Opacity)/],
];
const NURBS_SURFACE = /^(Nurbs|NurbsSurface|Patch|Boundary|TrimNurbsSurface)$/;

/** Collects warnings about content of the FBX that the converted document does not have. */
export function collectFbxWarnings(bytes: Buffer, document: Document): ProcessingWarning[] {
  const { textureKinds, animatedKinds, objectTypes } = collectFeatures(
    isBinaryFbx(bytes) ? readBinaryEntries(bytes) : readAsciiEntries(bytes),
  );
  const warnings = [
    ...collectTextureWarnings('FBX', textureKinds),
    ...collectCameraAndLightWarnings('FBX', document, {
      hasCameras: objectTypes.has('Camera'),
      hasLights: objectTypes.has('Light'),
    }),
    ...[...animatedKinds].map((kind) =>
      ignoredWarning('animation.ignored', 'FBX', `animated ${kind}`),
    ),
  ];
  if (objectTypes.has('NurbsCurve'))
    warnings.push(ignoredWarning('lines.ignored', 'FBX', 'curves'));
  if ([...objectTypes].some((type) => NURBS_SURFACE.test(String(type))))
    warnings.push(ignoredWarning('surfaces.ignored', 'FBX', 'NURBS or patch surfaces'));
  return warnings;
}

/** Collects the features that objects use. Objects come before the connections that refer to them. */
function collectFeatures(entries: Iterable<FbxEntry>) {
  const textures = new Set<unknown>();
  const curves = new Set<unknown>();
  const objectTypes = new Set<unknown>();
  const textureKinds = new Set<string>();
  const animatedKinds = new Set<string>();
  for (const { keyword, values } of entries) {
    const [first, child, , channel] = values;
    switch (keyword) {
      case 'Texture':
        textures.add(first);
        break;
      case 'AnimationCurveNode':
        curves.add(first);
        break;
      case 'NodeAttribute':
      case 'Geometry':
        objectTypes.add(values[2]);
        break;
      default:
        // "OP" connects an object to a property of another.
        if (first !== 'OP' || typeof channel !== 'string') break;
        if (textures.has(child)) addKind(textureKinds, TEXTURE_KINDS, channel);
        if (curves.has(child)) addKind(animatedKinds, ANIMATED_KINDS, channel);
    }
  }
  return { textureKinds, animatedKinds, objectTypes };
}

function addKind(kinds: Set<string>, patterns: KindPatterns, name: string): void {
  const kind = findKind(patterns, name);
  if (kind !== undefined) kinds.add(kind);
}

function* readBinaryEntries(bytes: Buffer): Generator<FbxEntry> {
  for (const section of readFbxRecords(bytes)) {
    if (section.name !== 'Objects' && section.name !== 'Connections') continue;
    for (const record of readFbxRecords(bytes, section)) {
      const keyword = record.name;
      if (KEYWORDS.test(`${keyword}:`)) yield { keyword, values: readFbxProperties(bytes, record) };
    }
  }
}

function* readAsciiEntries(bytes: Buffer): Generator<FbxEntry> {
  const tokenizer = new Tokenizer(bytes);
  while (!tokenizer.isAtEnd) {
    const keyword = tokenizer.readToken();
    if (!KEYWORDS.test(keyword)) {
      tokenizer.skipLine();
      continue;
    }
    const values = [...tokenizer.readRestOfLine().matchAll(/"([^"]*)"|-?\d+/g)];
    yield { keyword: keyword.slice(0, -1), values: values.map(([value, text]) => text ?? value) };
  }
}
