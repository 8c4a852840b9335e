import Type, { type Static } from 'typebox';

/** Which lines are logged: those of the level and of the levels after it. `silent`: none. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const Level = Type.Enum([...LOG_LEVELS], { description: 'Lines of lower levels are not logged.' });

/** The level of the log. */
export const LogLevelState = Type.Object({
  level: Level,
  configured: Type.Enum([...LOG_LEVELS], {
    description: 'The level of the setting, which applies again after a restart.',
  }),
});
export type LogLevelState = Static<typeof LogLevelState>;

/** Changes the level of the log until the next restart. */
export const SetLogLevelRequest = Type.Object(
  {
    level: Type.Union([Level, Type.Null()], {
      description: 'The level of all nodes. Null: that of their setting.',
      examples: ['debug'],
    }),
  },
  { additionalProperties: false },
);
export type SetLogLevelRequest = Static<typeof SetLogLevelRequest>;
