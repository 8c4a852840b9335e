// V8 optimizes a function of WebAssembly after it has executed about 13 MB of instructions. In the CAD library, that
// includes a function of 276 kB which runs once, when the first file is read: V8 takes 1.3 s and 170 MB to optimize it,
// and a process does not end before. Measured in November 2026 with Node 24.21, seconds for a cube and for an assembly
// of 2048 cubes:
//
//   budget     13 million (default)   200 million   400 million   600 million   1000 million
//   cube       1.6                    1.5           0.4           0.4           0.4
//   assembly   2.8                                                2.1           3.3
//
// The other libraries have no such function, and are faster with the default.

/** Node's flags for a worker that uses the CAD library. */
export const OCCT_WORKER_FLAGS: readonly string[] = ['--wasm-tiering-budget=600000000'];
