import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Layout } from './layout/layout.tsx';
import { ErrorMessage } from './ui/error-message.tsx';
import { Loading } from './ui/loading.tsx';
import { NotFound } from './ui/not-found.tsx';

type DesignsSearch = { q?: string; tag?: string; sort?: string };

/** A text of the query of a page, if it has one. The router parses `?q=12` as a number. */
const pickText = (name: string, value: unknown) => {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? { [name]: text } : {};
};

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound });

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/designs' });
  },
});
const designs = createRoute({
  getParentRoute: () => root,
  path: '/designs',
  validateSearch: ({ q, tag, sort }: Record<string, unknown>): DesignsSearch => ({
    ...pickText('q', q),
    ...pickText('tag', tag),
    ...pickText('sort', sort),
  }),
  component: lazyRouteComponent(() => import('./designs/designs-page.tsx'), 'DesignsPage'),
});
const design = createRoute({
  getParentRoute: () => root,
  path: '/designs/$designId',
  component: lazyRouteComponent(() => import('./design/design-page.tsx'), 'DesignPage'),
});
const embed = createRoute({
  getParentRoute: () => root,
  path: '/embed',
  validateSearch: ({ design }: Record<string, unknown>): { design?: string } =>
    pickText('design', design),
  component: lazyRouteComponent(() => import('./embed/embed-page.tsx'), 'EmbedPage'),
});
const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./tokens/tokens-page.tsx'), 'TokensPage'),
});
const token = createRoute({
  getParentRoute: () => root,
  path: '/tokens/$tokenId',
  component: lazyRouteComponent(
    () => import('./tokens/token-details-page.tsx'),
    'TokenDetailsPage',
  ),
});
const pageCheck = createRoute({
  getParentRoute: () => root,
  path: '/page-check',
  validateSearch: ({ url }: Record<string, unknown>): { url?: string } => pickText('url', url),
  component: lazyRouteComponent(() => import('./page-check/page-check-page.tsx'), 'PageCheckPage'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./session/sessions-page.tsx'), 'SessionsPage'),
});
const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyRouteComponent(() => import('./operator/operator-page.tsx'), 'OperatorPage'),
});
const operatorJobs = createRoute({
  getParentRoute: () => root,
  path: '/operator/jobs',
  validateSearch: ({ state }: Record<string, unknown>): { state?: string } =>
    pickText('state', state),
  component: lazyRouteComponent(() => import('./operator/jobs-page.tsx'), 'JobsPage'),
});
const operatorUsers = createRoute({
  getParentRoute: () => root,
  path: '/operator/users',
  component: lazyRouteComponent(() => import('./operator/users-page.tsx'), 'UsersPage'),
});

/** The pages of the console. Each is a script of its own, loaded when it is opened. */
export const router = createRouter({
  routeTree: root.addChildren([
    index,
    designs,
    design,
    embed,
    tokens,
    token,
    pageCheck,
    sessions,
    operator,
    operatorJobs,
    operatorUsers,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <ErrorMessage error={error} onRetry={reset} />,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
