/** Types for the part of occt-import-js that is used here. The package has no types of its own. */
declare module 'occt-import-js' {
  export type OcctNode = { name: string; meshes: number[]; children: OcctNode[] };
  export type OcctColor = [number, number, number];
  export type OcctMesh = {
    name: string;
    color?: OcctColor;
    brep_faces: { first: number; last: number; color: OcctColor | null }[];
    attributes: { position: { array: number[] }; normal?: { array: number[] } };
    index: { array: number[] };
  };
  export type OcctParameters = {
    linearUnit: 'millimeter';
    linearDeflectionType: 'bounding_box_ratio';
    linearDeflection: number;
    angularDeflection: number;
  };
  export type OcctResult =
    | { success: true; root: OcctNode; meshes: OcctMesh[] }
    | { success: false };
  export type OcctReader = 'ReadStepFile' | 'ReadIgesFile' | 'ReadBrepFile';
  export type Occt = {
    [reader in OcctReader]: (bytes: Uint8Array, parameters: OcctParameters) => OcctResult;
  };
  type Options = { print(text: string): void; printErr(text: string): void };
  export default function occt(options: Options): Promise<Occt>;
}
