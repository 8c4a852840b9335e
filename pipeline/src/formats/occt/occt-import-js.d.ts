/** Packages that come without types, as far as the importers use them. */
declare module 'occt-import-js' {
  export type OcctNode = { name: string; meshes: number[]; children: OcctNode[] };
  export type OcctColour = [number, number, number];
  export type OcctMesh = {
    name: string;
    color?: OcctColour;
    brep_faces: { first: number; last: number; color: OcctColour | null }[];
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

declare module 'assimpjs' {
  type AssimpFile = { GetPath(): string; GetContent(): Uint8Array; delete(): void };
  type AssimpFileList = { AddFile(path: string, bytes: Uint8Array): void; delete(): void };
  type AssimpResult = {
    IsSuccess(): boolean;
    GetErrorCode(): string;
    FileCount(): number;
    GetFile(at: number): AssimpFile;
    delete(): void;
  };
  type Assimp = {
    FileList: new () => AssimpFileList;
    ConvertFileList(files: AssimpFileList, format: 'glb2' | 'assjson'): AssimpResult;
  };
  type Options = { print(text: string): void; printErr(text: string): void };
  export default function assimp(options: Options): Promise<Assimp>;
}
