import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const MAX_RETRIES = 2;

/**
 * The responses that the pages show. A response of the service with an error is not asked for again; a lost connection is.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Without a network, pages say so at once; by default they would show that they load.
      networkMode: 'always',
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < MAX_RETRIES && !(error instanceof ApiError && error.problem !== undefined),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
