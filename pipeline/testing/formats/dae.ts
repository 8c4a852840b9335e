import { CUBE_FACES, cubeCorners } from './cube.ts';

export type DaeOptions = {
  /** The unit of the file, in meters. */
  metersPerUnit?: number;
  upAxis?: 'Y_UP' | 'Z_UP';
  size?: number;
  /** sRGB, from 0 to 1. */
  color?: readonly [number, number, number];
  name?: string;
  /** The URI of a texture image, as written in the file. */
  texture?: string;
  /** Adds an animation: a movement along x and back in two seconds. */
  animated?: boolean;
};

/** Creates a COLLADA 1.4.1 file of a cube in a node. */
export function makeDae(options: DaeOptions = {}): Buffer {
  const {
    metersPerUnit = 1,
    upAxis = 'Y_UP',
    size = 1,
    color = [1, 0, 0],
    name = 'Cube',
  } = options;
  const { texture, animated } = options;
  const positions = cubeCorners(size).flat();
  const faces = CUBE_FACES.flatMap((face) => face.flatMap((corner, index) => [corner, index]));
  const diffuse =
    texture === undefined
      ? `<color>${color.join(' ')} 1</color>`
      : '<texture texture="sampler" texcoord="UV"/>';
  return Buffer.from(`<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="unit" meter="${metersPerUnit}"/><up_axis>${upAxis}</up_axis></asset>
${texture === undefined ? '' : `  <library_images><image id="picture"><init_from>${texture}</init_from></image></library_images>\n`}  <library_effects><effect id="effect"><profile_COMMON>
${texture === undefined ? '' : '    <newparam sid="surface"><surface type="2D"><init_from>picture</init_from></surface></newparam><newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>\n'}    <technique sid="common"><lambert><diffuse>${diffuse}</diffuse></lambert></technique>
  </profile_COMMON></effect></library_effects>
  <library_materials><material id="paint" name="Paint"><instance_effect url="#effect"/></material></library_materials>
  <library_geometries><geometry id="cube-mesh" name="Cube mesh"><mesh>
    ${sourceXml('positions', positions, 'XYZ')}
    ${sourceXml('map', [0, 0, 1, 0, 1, 1, 0, 1], 'ST')}
    <vertices id="vertices"><input semantic="POSITION" source="#positions"/></vertices>
    <polylist count="6" material="paint-symbol">
      <input semantic="VERTEX" source="#vertices" offset="0"/>
      <input semantic="TEXCOORD" source="#map" offset="1" set="0"/>
      <vcount>4 4 4 4 4 4</vcount><p>${faces.join(' ')}</p>
    </polylist>
  </mesh></geometry></library_geometries>
${animated ? animationXml(size) : ''}  <library_visual_scenes><visual_scene id="scene" name="Scene">
    <node id="node-1" name="${name}">
      <translate sid="translation">0 0 0</translate>
      <instance_geometry url="#cube-mesh"><bind_material><technique_common>
        <instance_material symbol="paint-symbol" target="#paint"><bind_vertex_input semantic="UV" input_semantic="TEXCOORD" input_set="0"/></instance_material>
      </technique_common></bind_material></instance_geometry>
    </node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
`);
}

function sourceXml(id: string, values: readonly number[], axes: string): string {
  const params = [...axes].map((axis) => `<param name="${axis}" type="float"/>`).join('');
  const count = values.length / axes.length;
  return `<source id="${id}"><float_array id="${id}-array" count="${values.length}">${values.join(' ')}</float_array><technique_common><accessor source="#${id}-array" count="${count}" stride="${axes.length}">${params}</accessor></technique_common></source>`;
}

function animationXml(size: number): string {
  return `  <library_animations><animation id="move" name="Move">
    ${sourceXml('times', [0, 1, 2], 'T').replaceAll('name="T"', 'name="TIME"')}
    ${sourceXml('positions-over-time', [0, 0, 0, size, 0, 0, 0, 0, 0], 'XYZ')}
    <source id="interpolations"><Name_array id="interpolations-array" count="3">LINEAR LINEAR LINEAR</Name_array><technique_common><accessor source="#interpolations-array" count="3" stride="1"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
    <sampler id="move-sampler"><input semantic="INPUT" source="#times"/><input semantic="OUTPUT" source="#positions-over-time"/><input semantic="INTERPOLATION" source="#interpolations"/></sampler>
    <channel source="#move-sampler" target="node-1/translation"/>
  </animation></library_animations>
`;
}
