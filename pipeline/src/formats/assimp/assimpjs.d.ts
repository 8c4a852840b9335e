/** Types for the part of assimpjs that is used here. The package has no types of its own. */
declare module 'assimpjs' {
  type AssimpFile = { GetPath(): string; GetContent(): Uint8Array };
  type AssimpFileList = { AddFile(path: string, bytes: Uint8Array): void };
  type AssimpResult = {
    IsSuccess(): boolean;
    GetErrorCode(): string;
    FileCount(): number;
    GetFile(index: number): AssimpFile;
  };
  type Assimp = {
    FileList: new () => AssimpFileList;
    ConvertFileList(files: AssimpFileList, format: 'glb2'): AssimpResult;
  };
  type Options = { print(text: string): void; printErr(text: string): void };
  export default function assimp(options: Options): Promise<Assimp>;
}
