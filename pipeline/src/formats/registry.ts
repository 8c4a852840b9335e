/** The supported formats. A zip archive has the format of the model in it. */
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
/** The name of a format on the wire. */
export type Format = keyof typeof FORMATS;

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
