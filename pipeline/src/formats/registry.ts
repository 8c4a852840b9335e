/** The formats that can be read, each told by its bytes. A zip archive has that of the model in it. */
export const FORMATS = {
  glb: { name: 'GLB', extension: 'glb', mediaType: 'model/gltf-binary' },
  gltf: { name: 'glTF', extension: 'gltf', mediaType: 'model/gltf+json' },
  obj: { name: 'OBJ', extension: 'obj', mediaType: 'model/obj' },
  stl: { name: 'STL', extension: 'stl', mediaType: 'model/stl' },
  ply: { name: 'PLY', extension: 'ply', mediaType: 'application/octet-stream' },
  '3mf': { name: '3MF', extension: '3mf', mediaType: 'model/3mf' },
  fbx: { name: 'FBX', extension: 'fbx', mediaType: 'application/octet-stream' },
  dae: { name: 'COLLADA', extension: 'dae', mediaType: 'model/vnd.collada+xml' },
  step: { name: 'STEP', extension: 'step', mediaType: 'model/step' },
  iges: { name: 'IGES', extension: 'igs', mediaType: 'model/iges' },
  brep: { name: 'BREP', extension: 'brep', mediaType: 'application/octet-stream' },
  ifc: { name: 'IFC', extension: 'ifc', mediaType: 'application/x-step' },
} as const;
export type Format = keyof typeof FORMATS;

/** The media types of all formats, each once. */
export const MODEL_MEDIA_TYPES: readonly string[] = [
  ...new Set(Object.values(FORMATS).map(({ mediaType }) => mediaType)),
];

/** A file that may be opened: what it is, and in an archive which file is the model. */
export type DetectedFormat = {
  format: Format;
  /** The path of the model within its zip archive; a 3MF has none, and a lone file neither. */
  modelPath?: string;
};
