import Type, { type Static } from 'typebox';

/** What a node does: serve requests, process files, or both. */
export const NODE_ROLES = ['all', 'web', 'worker'] as const;
export type NodeRole = (typeof NODE_ROLES)[number];

export const Node = Type.Object({
  id: Type.String(),
  role: Type.Enum([...NODE_ROLES], {
    description: '`all`, `web` (processes no files) or `worker` (only does).',
  }),
  version: Type.String({ description: 'The version of Cloche.' }),
  startedAt: Type.String({ format: 'date-time' }),
  seenAt: Type.String({
    format: 'date-time',
    description: 'When it last reported that it runs. It does so every 5 seconds.',
  }),
});
export type Node = Static<typeof Node>;

export const NodeList = Type.Object({ nodes: Type.Array(Node) });
export type NodeList = Static<typeof NodeList>;
