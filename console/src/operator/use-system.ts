import type { LogLevel, LogLevelState } from '@cloche/contract/log-level';
import type { StorageUse, SystemInfo } from '@cloche/contract/system';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';

const REFRESH_MS = 30_000;
const SYSTEM_KEY = ['operator', 'system'];

/** The service, its isolation, its backups and its nodes. */
export function useSystem() {
  const api = useApi();
  return useQuery({
    queryKey: SYSTEM_KEY,
    queryFn: () => api.getJson<SystemInfo>('/v1/system'),
    refetchInterval: REFRESH_MS,
  });
}

/** The bytes of the files, and the space of the disk. */
export function useStorageUse() {
  const api = useApi();
  return useQuery({
    queryKey: ['operator', 'storage'],
    queryFn: () => api.getJson<StorageUse>('/v1/storage'),
    refetchInterval: REFRESH_MS,
  });
}

/** Sets the log level. Null: that of the setting. */
export function useSetLogLevel() {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (level: LogLevel | null) =>
      api.getJson<LogLevelState>('/v1/log-level', { level }, 'PUT'),
    onSuccess: (logLevel) =>
      queryClient.setQueryData<SystemInfo>(
        SYSTEM_KEY,
        (system) => system && { ...system, logLevel },
      ),
  });
}
