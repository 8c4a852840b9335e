import { type SerializerCompiler, SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySerializerCompiler } from 'fastify';

/**
 * Compiles response schemas as Fastify does by default, but each of them once: many routes send the same resource.
 */
export function createSerializerCompiler(): FastifySerializerCompiler<object> {
  const compile: SerializerCompiler = SerializerSelector()();
  const serializers = new WeakMap<object, ReturnType<SerializerCompiler>>();
  return (route) => {
    const { schema } = route;
    const serializer =
      serializers.get(schema) ?? compile({ ...route, httpStatus: route.httpStatus ?? '' });
    serializers.set(schema, serializer);
    return serializer;
  };
}
