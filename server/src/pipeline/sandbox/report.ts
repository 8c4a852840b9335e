import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Facts, STEPS } from '../report.ts';

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Words = Type.String({ maxLength: 2000 });

const Told = Type.Object(
  {
    before: Type.Object(
      {
        triangles: Count,
        vertices: Count,
        nodes: Count,
        meshes: Count,
        materials: Count,
        textures: Count,
        animations: Count,
        variants: Count,
      },
      { additionalProperties: false },
    ),
    steps: Type.Array(
      Type.Object(
        { name: Type.Enum([...STEPS]), ms: Type.Number({ minimum: 0, maximum: 1e9 }) },
        { additionalProperties: false },
      ),
      { maxItems: 100 },
    ),
    warnings: Type.Array(
      Type.Object(
        { code: Type.String({ pattern: '^[a-z][a-z0-9.-]{0,63}$' }), message: Words },
        { additionalProperties: false },
      ),
      { maxItems: 200 },
    ),
  },
  { additionalProperties: false },
);

/** What a child writes to `out/report.json`. */
export type Told = Static<typeof Told>;

/** What a child did, as the parent checked it, and counted the bytes of its upload. */
export type ChildReport = Told & { before: Facts };

const Refusal = Type.Object(
  { code: Type.String({ maxLength: 64 }), detail: Words },
  { additionalProperties: false },
);

/** What a child writes to `out/failure.json`. */
export type Refusal = Static<typeof Refusal>;

export const told = Compile(Told);
export const refusal = Compile(Refusal);
