import Type, { type Static } from 'typebox';

const Vector3 = Type.Unsafe<[number, number, number]>(
  Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
);

const countFields = {
  bytes: Type.Integer({ description: 'Size of the file, in bytes.' }),
  triangles: Type.Integer({
    description: 'Number of triangles drawn. A mesh that two nodes use counts twice.',
  }),
  vertices: Type.Integer({
    description: 'Number of vertices stored. A mesh that two nodes use counts once.',
  }),
  nodes: Type.Integer(),
  meshes: Type.Integer(),
  materials: Type.Integer(),
  textures: Type.Integer(),
  animations: Type.Integer(),
  variants: Type.Integer({ description: 'Number of material variants (KHR_materials_variants).' }),
};

/** Size and contents of a model. */
export const ModelCounts = Type.Object(countFields);
export type ModelCounts = Static<typeof ModelCounts>;

/** Contents of a model, its bounding box, and the glTF extensions it uses. */
export const ModelStats = Type.Object(
  {
    ...countFields,
    bounds: Type.Optional(
      Type.Object(
        { min: Vector3, max: Vector3 },
        {
          description:
            'Bounding box of the default scene, in metres, Y up. Absent if the scene draws nothing.',
        },
      ),
    ),
    extensions: Type.Array(Type.String(), {
      description: 'The glTF extensions that the file uses, sorted.',
    }),
  },
  { description: 'The model that visitors load.' },
);
export type ModelStats = Static<typeof ModelStats>;
