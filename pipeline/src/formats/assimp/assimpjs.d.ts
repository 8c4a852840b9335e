/** Types of assimpjs, which has none, as far as they are used here. */
declare module 'assimpjs' {
  type AssimpFile = { GetPath(): string; GetContent(): Uint8Array; delete(): void };
  type AssimpFileList = { AddFile(path: string, bytes: Uint8Array): void; delete(): void };
  type AssimpResult = {
    IsSuccess(): boolean;
    GetErrorCode(): string;
    FileCount(): number;
    GetFile(index: number): AssimpFile;
    delete(): void;
  };
  type Assimp = {
    FileList: new () => AssimpFileList;
    ConvertFileList(files: AssimpFileList, format: 'glb2' | 'assjson'): AssimpResult;
  };
  type Options = { print(text: string): void; printErr(text: string): void };
  export default function assimp(options: Options): Promise<Assimp>;
}
