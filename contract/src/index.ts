export * from './design.ts';
export * from './embed.ts';
export * from './framed.ts';
export * from './id.ts';
export * from './list.ts';
export * from './problem.ts';
export * from './stats.ts';
export * from './token.ts';
