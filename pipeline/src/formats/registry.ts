/** The formats that can be read, each told by its bytes. A zip archive has that of the model in it. */
export const FORMATS = {
  glb: { name: 'GLB', extension: 'glb', type: 'model/gltf-binary' },
  gltf: { name: 'glTF', extension: 'gltf', type: 'model/gltf+json' },
  obj: { name: 'OBJ', extension: 'obj', type: 'model/obj' },
  stl: { name: 'STL', extension: 'stl', type: 'model/stl' },
  ply: { name: 'PLY', extension: 'ply', type: 'application/octet-stream' },
  '3mf': { name: '3MF', extension: '3mf', type: 'model/3mf' },
  fbx: { name: 'FBX', extension: 'fbx', type: 'application/octet-stream' },
  dae: { name: 'COLLADA', extension: 'dae', type: 'model/vnd.collada+xml' },
  step: { name: 'STEP', extension: 'step', type: 'model/step' },
  iges: { name: 'IGES', extension: 'igs', type: 'model/iges' },
  brep: { name: 'BREP', extension: 'brep', type: 'application/octet-stream' },
  ifc: { name: 'IFC', extension: 'ifc', type: 'application/x-step' },
} as const;
export type Format = keyof typeof FORMATS;

/** A file that may be opened: what it is, and in an archive which file is the model. */
export type DetectedFormat = {
  format: Format;
  /** The path of the model within its zip archive; a 3MF has none, and a lone file neither. */
  modelPath?: string;
};
