import Type, { type Static } from 'typebox';
import { ListQuery } from './pagination.ts';

/** What usage can be grouped by. */
const USAGE_DIMENSIONS = ['origin', 'day', 'design'] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

const Day = Type.String({
  format: 'date',
  description: 'A day in UTC.',
  examples: ['2026-05-04'],
});

/** Selects and groups the usage of a token. */
export const EmbedUsageQuery = Type.Object(
  {
    ...ListQuery.properties,
    by: Type.Optional(
      Type.Enum(listGroupings(), {
        default: 'day',
        description:
          'What the usage is grouped by: `origin`, `day`, `design`, or several of them with commas, as in `origin,day`.',
        examples: ['origin', 'origin,day'],
      }),
    ),
    from: Type.Optional({ ...Day, description: 'The first day, in UTC. Default: the oldest.' }),
    to: Type.Optional({ ...Day, description: 'The last day, in UTC. Default: today.' }),
    descendants: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Adds the usage of the tokens that this token created, the tokens that these created, and so on: of those that are not revoked, and that the token in the Authorization header may read.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type EmbedUsageQuery = Static<typeof EmbedUsageQuery>;

/** The usage of a token by one origin, on one day, of one design, or several of these. */
export const EmbedUsage = Type.Object({
  origin: Type.Optional(
    Type.String({
      description:
        'The origin of the pages. `unknown`: the browser did not name the page. `other`: all origins after the first 1,000 of the token. Only if `by` has it.',
    }),
  ),
  day: Type.Optional({ ...Day, description: 'The day, in UTC. Only if `by` has it.' }),
  design: Type.Optional(
    Type.String({
      description: 'The id of the design, which may be deleted by now. Only if `by` has it.',
    }),
  ),
  views: Type.Integer({ description: 'How often an embed was opened.' }),
  bytes: Type.Integer({ description: 'The bytes of models and images that were sent to embeds.' }),
  firstSeenAt: Type.String({ format: 'date-time' }),
  lastSeenAt: Type.String({ format: 'date-time' }),
});
export type EmbedUsage = Static<typeof EmbedUsage>;

/** A page of the usage of a token. */
export const EmbedUsageList = Type.Object({
  items: Type.Array(EmbedUsage),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type EmbedUsageList = Static<typeof EmbedUsageList>;

/** Lists all dimensions and their combinations, in every order. */
function listGroupings(): string[] {
  const extend = (chosen: readonly string[]): string[] =>
    USAGE_DIMENSIONS.filter((dimension) => !chosen.includes(dimension)).flatMap((dimension) => {
      const grouping = [...chosen, dimension];
      return [grouping.join(','), ...extend(grouping)];
    });
  return extend([]);
}
