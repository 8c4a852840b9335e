import { brotliCompressSync, constants } from 'node:zlib';
import { Accessor, type Primitive } from '@gltf-transform/core';
import { MeshoptEncoder } from 'meshoptimizer';

/** Estimates the bytes of a primitive with these triangles in transfer. Vertices that they do not use do not count. */
export type TransferEstimator = (indices: Uint32Array) => number;

/** The quantized values of an attribute, padded to words. */
type VertexStream = { words: Uint32Array; wordsPerVertex: number };

/** 14 bits for positions, 8 for normals, 12 for other attributes. */
const [POSITION_STEPS, MAX_NORMAL, OTHER_STEPS] = [2 ** 14 - 1, 127, 2 ** 12 - 1];
/** Effort 3 of the writer takes longer, and saves the same share of each order. */
const EFFORT = 2;

/** Nearly proportional to the better qualities that artifacts have. Quality 5 takes twice as long, and chose the same for FlightHelmet and Fox; Tower had 42 bytes less. */
const BROTLI_PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 2 };

/**
 * Quantizes the attributes of a primitive once, to compare several of its orders and simplifications. Their
 * quantization is similar to that of the model, which is not known before all of them are chosen. Await
 * `MeshoptEncoder.ready` first.
 */
export function createTransferEstimator(primitive: Primitive): TransferEstimator {
  const vertexCount = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const streams = primitive.listSemantics().flatMap((semantic) => {
    const accessor = primitive.getAttribute(semantic);
    return accessor ? [toVertexStream(accessor, semantic)] : [];
  });
  return (indices) => {
    const { sources, ordered } = orderByFirstUse(indices, vertexCount);
    const encoded = [
      MeshoptEncoder.encodeGltfBuffer(toBytes(ordered), ordered.length, 4, 'TRIANGLES', 1),
      ...streams.map((stream) => encodeVertices(stream, sources)),
    ];
    return brotliCompressSync(Buffer.concat(encoded), { params: BROTLI_PARAMS }).length;
  };
}

function toVertexStream(accessor: Accessor, semantic: string): VertexStream {
  const isFloat = accessor.getComponentType() === Accessor.ComponentType.FLOAT;
  const values = isFloat ? quantizeFloats(accessor, semantic) : accessor.getArray();
  const source = toBytes(values ?? new Uint8Array(0));
  const elementBytes = source.length / (accessor.getCount() || 1);
  const words = Math.ceil(elementBytes / 4);
  if (elementBytes === 4 * words) return { words: toWords(source.slice()), wordsPerVertex: words };
  const padded = new Uint8Array(accessor.getCount() * words * 4);
  for (let index = 0, target = 0; index < source.length; target += 4 * words) {
    for (let byte = 0; byte < elementBytes; byte++)
      padded[target + byte] = source[index++] as number;
  }
  return { words: toWords(padded), wordsPerVertex: words };
}

function quantizeFloats(accessor: Accessor, semantic: string): Uint16Array | Uint8Array {
  const floats = accessor.getArray() as Float32Array;
  if (semantic === 'NORMAL' || semantic === 'TANGENT') {
    const bytes = new Uint8Array(floats.length);
    for (let index = 0; index < floats.length; index++) {
      bytes[index] = Math.round((floats[index] as number) * MAX_NORMAL);
    }
    return bytes;
  }
  const low = accessor.getMin([]);
  const extent = Math.max(...accessor.getMax([]).map((high, axis) => high - (low[axis] ?? 0)));
  const steps = (semantic === 'POSITION' ? POSITION_STEPS : OTHER_STEPS) / (extent || 1);
  const size = accessor.getElementSize();
  const integers = new Uint16Array(floats.length);
  for (let index = 0; index < floats.length; index++) {
    integers[index] = Math.round(((floats[index] as number) - (low[index % size] ?? 0)) * steps);
  }
  return integers;
}

/** Returns the vertices in the order in which the triangles use them, and the triangles with their new indices. */
function orderByFirstUse(indices: Uint32Array, vertexCount: number) {
  const targets = new Int32Array(vertexCount).fill(-1);
  const sources = new Uint32Array(vertexCount);
  const ordered = new Uint32Array(indices.length);
  let count = 0;
  for (let corner = 0; corner < indices.length; corner++) {
    const vertex = indices[corner] as number;
    if (targets[vertex] === -1) {
      targets[vertex] = count;
      sources[count++] = vertex;
    }
    ordered[corner] = targets[vertex] as number;
  }
  return { sources: sources.subarray(0, count), ordered };
}

function encodeVertices({ words, wordsPerVertex }: VertexStream, sources: Uint32Array): Uint8Array {
  const gathered = new Uint32Array(sources.length * wordsPerVertex);
  for (let target = 0; target < gathered.length; target++) {
    const source = sources[Math.floor(target / wordsPerVertex)] as number;
    gathered[target] = words[source * wordsPerVertex + (target % wordsPerVertex)] as number;
  }
  const [stride, version] = [4 * wordsPerVertex, 1];
  return MeshoptEncoder.encodeVertexBufferLevel(
    toBytes(gathered),
    sources.length,
    stride,
    EFFORT,
    version,
  );
}

function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function toWords({ buffer, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, 0, byteLength / 4);
}
