import type { Format } from '../../src/formats/registry.ts';
import { makeBox } from '../models.ts';
import { make3mf } from './3mf.ts';
import { makeBrep } from './brep.ts';
import { makeDae } from './dae.ts';
import { makeFbx } from './fbx.ts';
import { makeGltf } from './gltf.ts';
import { makeIfc } from './ifc.ts';
import { makeIges } from './iges.ts';
import { makeObj } from './obj.ts';
import { makeOff } from './off.ts';
import { makePly } from './ply.ts';
import { makeStep } from './step.ts';
import { makeStl } from './stl.ts';

/** Makes a file of each format. A format of the registry without one is a type error. */
export const SAMPLE_FILES: { readonly [format in Format]: () => Buffer } = {
  glb: makeBox,
  gltf: () => makeGltf().gltf,
  obj: makeObj,
  stl: makeStl,
  ply: makePly,
  off: makeOff,
  '3mf': make3mf,
  fbx: makeFbx,
  dae: makeDae,
  step: makeStep,
  iges: makeIges,
  brep: makeBrep,
  ifc: makeIfc,
};
