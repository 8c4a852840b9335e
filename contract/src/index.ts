export * from './design.ts';
export * from './embed.ts';
export * from './id.ts';
export * from './model-stats.ts';
export * from './pagination.ts';
export * from './problem.ts';
export * from './token.ts';
export * from './viewer-config.ts';
