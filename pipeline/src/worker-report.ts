import type { ModelCounts } from '@cloche/contract/model-stats';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { PROCESSING_STEPS } from './processing-steps.ts';

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Coordinate = Type.Number({ minimum: -3.4e38, maximum: 3.4e38 });
const Vector3 = Type.Tuple([Coordinate, Coordinate, Coordinate]);
const BoundedText = Type.String({ maxLength: 2000 });

/** Schema of the file `report.json`, which a worker sends with its results. */
export const WorkerReport = Type.Object(
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
    /** The validation of the model computes an approximate box; see optimize/scene-bounds.ts. */
    bounds: Type.Optional(
      Type.Object({ min: Vector3, max: Vector3 }, { additionalProperties: false }),
    ),
    /** The files of the levels; level-files.ts has their names. */
    levels: Type.Optional(
      Type.Object(
        {
          /** Ascending by triangles; see optimize/levels/create-levels.ts. */
          geometries: Type.Array(
            Type.Object(
              { maxSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_384 })) },
              { additionalProperties: false },
            ),
            { minItems: 1, maxItems: 4 },
          ),
          /** Ascending by size; see optimize/levels/texture-levels.ts. */
          texturePacks: Type.Array(
            Type.Object(
              {
                size: Type.Integer({ minimum: 1, maximum: 16_384 }),
                imageSize: Type.Integer({ minimum: 1, maximum: 16_384 }),
                pixels: Type.Integer({ minimum: 1, maximum: 1e12 }),
              },
              { additionalProperties: false },
            ),
            { maxItems: 5 },
          ),
          /** See optimize/levels/uv-density.ts. */
          uvPerMeter: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e30 })),
        },
        { additionalProperties: false },
      ),
    ),
    /** The model is small, so its preview is not published. It was sent before that was known. */
    previewUnused: Type.Optional(Type.Literal(true)),
    steps: Type.Array(
      Type.Object(
        {
          name: Type.Enum([...PROCESSING_STEPS]),
          durationMs: Type.Number({ minimum: 0, maximum: 1e9 }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 100 },
    ),
    warnings: Type.Array(
      Type.Object(
        { code: Type.String({ pattern: '^[a-z][a-z0-9.-]{0,63}$' }), message: BoundedText },
        { additionalProperties: false },
      ),
      { maxItems: 200 },
    ),
  },
  { additionalProperties: false },
);

/** The content of `report.json`; unverified. */
export type WorkerReport = Static<typeof WorkerReport>;

/** A report that the parent verified, with the size of the source file added. */
export type VerifiedWorkerReport = WorkerReport & { before: ModelCounts };

/** Schema of the file `rejection.json`, which a worker sends instead of results. */
export const WorkerRejection = Type.Object(
  { code: Type.String({ maxLength: 64 }), detail: BoundedText },
  { additionalProperties: false },
);

/** The content of `rejection.json`; unverified. */
export type WorkerRejection = Static<typeof WorkerRejection>;

/** Compiled validator of `report.json`. */
export const workerReportValidator = Compile(WorkerReport);
/** Compiled validator of `rejection.json`. */
export const workerRejectionValidator = Compile(WorkerRejection);
