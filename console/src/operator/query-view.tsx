import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';

type QueryViewProps<T> = { query: UseQueryResult<T>; children: (data: T) => ReactNode };

/** Shows what a query has read. Data that could not be read again stays, with the error before it. */
export function QueryView<T>({ query, children }: QueryViewProps<T>) {
  const { data, error, refetch } = query;
  return (
    <>
      {error && <ErrorMessage error={error} onRetry={refetch} />}
      {data === undefined ? !error && <Loading /> : children(data)}
    </>
  );
}
