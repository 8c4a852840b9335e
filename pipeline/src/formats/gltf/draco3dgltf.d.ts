/** The part of the package that we use; it has no types of its own. */
declare module 'draco3dgltf' {
  const draco3d: { createDecoderModule(): Promise<unknown> };
  export default draco3d;
}
