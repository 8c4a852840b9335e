import type { FastifyInstance, FastifyPluginAsync, FastifyRegisterOptions } from 'fastify';

/** Where Fastify looks for the name of a plugin. */
const NAME = Symbol.for('fastify.display-name');

/** Registers a plugin. Without its name, Fastify would compare it with all modules that were loaded. */
export async function registerPlugin<Options extends object>(
  app: FastifyInstance,
  plugin: FastifyPluginAsync<Options>,
  options: FastifyRegisterOptions<Options>,
): Promise<void> {
  await app.register(Object.assign(plugin, { [NAME]: plugin.name }), options);
}
