import type {
  CreatedUser,
  CreateUserRequest,
  SignInLink,
  UpdateUserRequest,
  User,
  UserList,
} from '@cloche/contract/user';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';

const USERS_KEY = ['operator', 'users'];
/** For responses with a link to sign in: the cache forgets them when the dialog closes. */
const NOT_KEPT = { gcTime: 0 };

/** All users, newest first, in pages. */
export function useUsers() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: USERS_KEY,
    queryFn: ({ pageParam }) => {
      const cursor = pageParam === '' ? '' : `?cursor=${encodeURIComponent(pageParam)}`;
      return api.getJson<UserList>(`/v1/users${cursor}`);
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

function useRefreshUsers() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: USERS_KEY });
}

export function useCreateUser() {
  const api = useApi();
  const refresh = useRefreshUsers();
  return useMutation({
    mutationFn: (request: CreateUserRequest) => api.getJson<CreatedUser>('/v1/users', request),
    ...NOT_KEPT,
    onSuccess: refresh,
  });
}

/** Activates or deactivates a user, or sets its quotas. */
export function useUpdateUser(id: string) {
  const api = useApi();
  const refresh = useRefreshUsers();
  return useMutation({
    mutationFn: (changes: UpdateUserRequest) =>
      api.getJson<User>(`/v1/users/${id}`, changes, 'PATCH'),
    onSuccess: refresh,
  });
}

export function useCreateSignInLink(id: string) {
  const api = useApi();
  return useMutation({
    mutationFn: () => api.getJson<SignInLink>(`/v1/users/${id}/sign-in-link`, undefined, 'POST'),
    ...NOT_KEPT,
  });
}
