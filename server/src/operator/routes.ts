import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { registerPlugin } from '../http/register-plugin.ts';
import { assertOperator } from '../tokens/authorize.ts';
import { JobListStore } from './job-list-store.ts';
import { type JobRouteDependencies, jobRoutes } from './job-routes.ts';
import { metricRoutes } from './metric-routes.ts';
import { SampleStore } from './sample-store.ts';
import { StorageCounter } from './storage-counter.ts';
import { type SystemRouteDependencies, systemRoutes } from './system-routes.ts';
import { type UserRouteDependencies, userRoutes } from './user-routes.ts';

export type OperatorRouteDependencies = Omit<UserRouteDependencies, 'storage'> &
  Omit<JobRouteDependencies, 'jobList'> &
  Omit<SystemRouteDependencies, 'storage'>;

/** The routes for operators, which are about all users. No other token may call any of them. */
export const operatorRoutes: FastifyPluginAsyncTypebox<OperatorRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { database, now } = dependencies;
  // Before the request is validated: others learn nothing about these routes.
  app.addHook('preValidation', async ({ token }) => assertOperator(token));
  const storage = new StorageCounter(database, now);
  await registerPlugin(app, userRoutes, { ...dependencies, storage, prefix: '/users' });
  const jobList = new JobListStore(database);
  await registerPlugin(app, jobRoutes, { ...dependencies, jobList, prefix: '/jobs' });
  const samples = new SampleStore(database, dependencies.nodeId);
  await registerPlugin(app, metricRoutes, { samples, now, prefix: '/metrics' });
  await registerPlugin(app, systemRoutes, { ...dependencies, storage, prefix: '' });
};
