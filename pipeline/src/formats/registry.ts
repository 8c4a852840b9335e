import type { ImportedModel, ModelLocation } from '../mesh/imported-model.ts';
import { type ByteReader, readBlocks } from '../validation/byte-reader.ts';
import type { FileHead, SniffEvidence } from '../validation/file-head.ts';
import type { ValidationLimits } from '../validation/limits.ts';
import type { ValidatedContent } from '../validation/validated-content.ts';
import type { ZipArchive } from '../validation/zip/zip-archive.ts';
import { is3mfPackage, validate3mf } from './3mf/validate.ts';
import { sniffBrep, validateBrep } from './brep/validate.ts';
import { sniffDae, validateDae } from './dae/validate.ts';
import { sniffFbx, validateFbx } from './fbx/validate.ts';
import { sniffGlb, sniffGltf, validateGlb, validateGltf } from './gltf/validate.ts';
import { sniffIfc, validateIfc } from './ifc/validate.ts';
import { sniffIges, validateIges } from './iges/validate.ts';
import { sniffObj, validateObj } from './obj/validate.ts';
import { OCCT_WORKER_FLAGS } from './occt/worker-flags.ts';
import { sniffOff, validateOff } from './off/validate.ts';
import { sniffPly, validatePly } from './ply/validate.ts';
import { sniffStep, validateStep } from './step/validate.ts';
import { sniffStl, validateStl } from './stl/validate.ts';

/**
 * Everything the pipeline and the server know about a format. Loading this file must stay cheap and
 * safe, because the server does: it reaches the validators, but import libraries only through `load`.
 */
export type FormatDefinition = {
  /** For people. */
  name: string;
  /** File extensions without the dot, the usual one first. */
  extensions: readonly [string, ...string[]];
  mediaType: string;
  /** Loads the import of the format. Only the sandbox worker calls it. */
  load(): Promise<ImportFormat>;
  /** Node's flags for the worker, such as those that suit its library. */
  workerFlags?: readonly string[];
} & (FileFormatDefinition | PackageFormatDefinition);

type FileFormatDefinition = {
  /** Whether a zip archive may contain the model and the files it refers to. */
  archive: 'never' | 'optional';
  sniff(head: FileHead): SniffEvidence | undefined;
  /** Without a result, the file decodes to as many bytes as it has. */
  validate(
    file: ByteReader,
    limits: ValidationLimits,
    head: Buffer,
  ): Promise<ValidatedContent> | Promise<void>;
  isPackage?: undefined;
};

/** A format that is a zip archive. */
type PackageFormatDefinition = {
  archive: 'always';
  sniff?: undefined;
  isPackage(entryNames: readonly string[]): boolean;
  validatePackage(archive: ZipArchive, limits: ValidationLimits): Promise<void>;
};

/** Imports a model from its bytes. Those of an archive are empty: `location` has the archive. */
export type ImportFormat = (
  bytes: Buffer,
  location?: ModelLocation,
) => ImportedModel | Promise<ImportedModel>;

/** The supported formats. A zip archive has the format of the model in it. */
export const FORMATS = {
  glb: {
    name: 'GLB',
    extensions: ['glb'],
    mediaType: 'model/gltf-binary',
    archive: 'optional',
    sniff: sniffGlb,
    validate: validateGlb,
    load: async () => (await import('./gltf/import.ts')).importGlb,
  },
  gltf: {
    name: 'glTF',
    extensions: ['gltf'],
    mediaType: 'model/gltf+json',
    archive: 'optional',
    sniff: sniffGltf,
    validate: validateGltf,
    load: async () => (await import('./gltf/import.ts')).importGltf,
  },
  obj: {
    name: 'OBJ',
    extensions: ['obj'],
    mediaType: 'model/obj',
    archive: 'optional',
    sniff: sniffObj,
    validate: async (file, limits) => ({
      decodedBytes: file.size + (await validateObj(readBlocks(file), limits)),
    }),
    load: async () => (await import('./obj/import.ts')).importObj,
  },
  stl: {
    name: 'STL',
    extensions: ['stl'],
    mediaType: 'model/stl',
    archive: 'never',
    sniff: sniffStl,
    validate: validateStl,
    load: async () => (await import('./stl/import.ts')).importStl,
  },
  ply: {
    name: 'PLY',
    extensions: ['ply'],
    mediaType: 'application/octet-stream',
    archive: 'never',
    sniff: sniffPly,
    validate: validatePly,
    load: async () => (await import('./ply/import.ts')).importPly,
  },
  off: {
    name: 'OFF',
    extensions: ['off'],
    mediaType: 'application/octet-stream',
    archive: 'never',
    sniff: sniffOff,
    validate: validateOff,
    load: async () => (await import('./off/import.ts')).importOff,
  },
  '3mf': {
    name: '3MF',
    extensions: ['3mf'],
    mediaType: 'model/3mf',
    archive: 'always',
    isPackage: is3mfPackage,
    validatePackage: validate3mf,
    load: async () => (await import('./3mf/import.ts')).import3mf,
  },
  fbx: {
    name: 'FBX',
    extensions: ['fbx'],
    mediaType: 'application/octet-stream',
    archive: 'never',
    sniff: sniffFbx,
    validate: validateFbx,
    load: async () => (await import('./fbx/import.ts')).importFbx,
  },
  dae: {
    name: 'COLLADA',
    extensions: ['dae'],
    mediaType: 'model/vnd.collada+xml',
    archive: 'never',
    sniff: sniffDae,
    validate: validateDae,
    load: async () => (await import('./dae/import.ts')).importDae,
  },
  step: {
    name: 'STEP',
    extensions: ['step', 'stp'],
    mediaType: 'model/step',
    archive: 'never',
    sniff: sniffStep,
    validate: validateStep,
    load: async () => (await import('./step/import.ts')).importStep,
    workerFlags: OCCT_WORKER_FLAGS,
  },
  iges: {
    name: 'IGES',
    extensions: ['igs', 'iges'],
    mediaType: 'model/iges',
    archive: 'never',
    sniff: sniffIges,
    validate: validateIges,
    load: async () => (await import('./iges/import.ts')).importIges,
    workerFlags: OCCT_WORKER_FLAGS,
  },
  brep: {
    name: 'BREP',
    extensions: ['brep'],
    mediaType: 'application/octet-stream',
    archive: 'never',
    sniff: sniffBrep,
    validate: validateBrep,
    load: async () => (await import('./brep/import.ts')).importBrep,
    workerFlags: OCCT_WORKER_FLAGS,
  },
  ifc: {
    name: 'IFC',
    extensions: ['ifc'],
    mediaType: 'application/x-step',
    archive: 'never',
    sniff: sniffIfc,
    validate: validateIfc,
    load: async () => (await import('./ifc/import.ts')).importIfc,
  },
} as const satisfies Record<string, FormatDefinition>;

/** The name of a format on the wire. */
export type Format = keyof typeof FORMATS;

/** The formats that `archive` describes like this. */
export type FormatWithArchive<Archive extends FormatDefinition['archive']> = {
  [format in Format]: (typeof FORMATS)[format]['archive'] extends Archive ? format : never;
}[Format];

/** Returns Node's flags for a worker that imports the format. */
export function getWorkerFlags(format: Format): readonly string[] {
  const definition: FormatDefinition = FORMATS[format];
  return definition.workerFlags ?? [];
}

/** Lists all formats, in the order of messages. */
export function listFormats(): [Format, FormatDefinition][] {
  return Object.entries(FORMATS) as [Format, FormatDefinition][];
}

/** The media types of all formats, each once. */
export const MODEL_MEDIA_TYPES: readonly string[] = [
  ...new Set(Object.values(FORMATS).map(({ mediaType }) => mediaType)),
];

/** The format of a validated file and, in an archive, the path of the model. */
export type DetectedFormat = {
  format: Format;
  /** The path of the model in its zip archive. Undefined for a 3MF and for files without an archive. */
  modelPath?: string;
};
