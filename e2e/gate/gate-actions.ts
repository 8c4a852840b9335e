import { waitUntil } from '../../scripts/wait-until.ts';
import type { GateRun } from './gate-run.ts';
import type { GateService } from './gate-service.ts';

type PageAction = (run: GateRun, text: string) => Promise<string>;
/** A change of the service. */
type Change = (run: GateRun, service: GateService) => Promise<unknown>;

/** The changes that a case can make while a page is open, or before. */
export const CHANGES = {
  revoke: (run, service) => service.send('DELETE', `/v1/tokens/${run.token.id}`),
  expire: async ({ token }, service) => {
    // Later than now when the request arrives, also on a slow machine.
    const expiresAt = new Date(Date.now() + 3000);
    await service.send('PATCH', `/v1/tokens/${token.id}`, { expiresAt: expiresAt.toISOString() });
    await waitUntil('the token has expired', () => new Date() > expiresAt);
  },
  'list-another-site': ({ token, toOrigin }, service) =>
    service.send('PATCH', `/v1/tokens/${token.id}`, { origins: [toOrigin('other.test')] }),
  'list-evil': ({ token, toOrigin }, service) =>
    service.send('PATCH', `/v1/tokens/${token.id}`, { origins: [toOrigin('evil.test')] }),
  'limit-to-another-design': async ({ token }, service) =>
    service.send('PATCH', `/v1/tokens/${token.id}`, { designs: [(await service.addDesign()).id] }),
  'delete-design': ({ designId }, service) => service.send('DELETE', `/v1/designs/${designId}`),
  share: ({ designId }, service) =>
    service.send('PATCH', `/v1/designs/${designId}`, { shared: true }),
  'stop-sharing': ({ designId }, service) =>
    service.send('PATCH', `/v1/designs/${designId}`, { shared: false }),
  rotate: ({ token }, service) =>
    service.send('POST', `/v1/tokens/${token.id}/rotate`, { gracePeriodSeconds: 0 }),
  'disable-user': async (run, service) => {
    await service.runCommand('users', 'disable', toUserName(run));
    const page = run.toOrigin('shop.test');
    const path = run.src.slice(run.service.length);
    // The service notices changes of other processes after half a second.
    await waitUntil(
      'the user is disabled',
      async () => (await service.openDocument(path, page)).status !== 200,
    );
  },
} satisfies Record<string, Change>;

/** Gives the run a user of its own, with its own design and token. */
export async function useOwnUser(run: GateRun, service: GateService): Promise<void> {
  const secret = await service.addUser(toUserName(run));
  const design = await service.addDesign(secret);
  const token = await service.addToken({ origins: [run.toOrigin('shop.test')] }, secret);
  run.use(token, design.id);
}

const toUserName = ({ id }: GateRun) => `user-${id}`;

/** What pages can call: gate.call('name') in their scripts. */
export function createActions(service: GateService): Record<string, PageAction> {
  const changes = Object.entries<Change>(CHANGES).map(([name, change]): [string, PageAction] => [
    name,
    async (run) => {
      // The copy without a gate has no tokens to revoke.
      if (!run.isControl) await change(run, service);
      return '';
    },
  ]);
  return { ...Object.fromEntries(changes), ...createReportActions(service) };
}

function createReportActions(service: GateService): Record<string, PageAction> {
  return {
    /** All attempts of the page are over. */
    done: async (run) => {
      run.isDone = true;
      return '';
    },
    /** An attempt ended with an error, which is often the correct result. */
    failed: async ({ evidence }, text) => {
      evidence.log.push(`page: ${text}`);
      return '';
    },
    /** What the page could read. */
    report: async ({ evidence }, text) => {
      evidence.reports.push(text);
      return '';
    },
    /** Waits until all files of the design have been sent to the page. */
    served: async (run) => {
      const { fileTypes } = run.evidence;
      const isServed = () => run.isControl || (fileTypes.has('.glb') && fileTypes.has('.webp'));
      await waitUntil('the files are sent', () => run.isClosed || isServed());
      return '';
    },
    /** Waits until the service has answered. */
    answered: async (run) => {
      const isAnswered = () => run.evidence.responses > 0;
      await waitUntil('the service answers', () => run.isClosed || isAnswered());
      return '';
    },
    /** Forgets what was allowed until now. */
    reset: async ({ evidence }) => {
      evidence.reset();
      return '';
    },
    /** The URL of the model and its grant, which someone has copied from a listed page. */
    'stolen-grant': async (run) => JSON.stringify(await stealGrant(run, service)),
  };
}

/**
 * Opens the framed document as a listed page does, and returns what is in it: the grant, and the URLs of the files. In addition, the
 * URLs with the name of the run, because a request without a grant does not tell whose it is.
 */
export async function stealGrant(run: GateRun, service: GateService) {
  const path = run.toSrc(run.token.token).slice(run.service.length);
  const { config } = await service.openDocument(path, run.toOrigin('shop.test'));
  if (!config) throw new Error('The listed page gets no document.');
  const { model, posters = [], grant } = config;
  const cachedUrl = run.toUrl(model.url);
  const cachedPoster = run.toUrl(posters[0]?.url ?? '');
  const mark = (url: string) => (run.isControl ? url : `${url}?run=${run.id}`);
  return { url: mark(cachedUrl), poster: mark(cachedPoster), cachedUrl, cachedPoster, grant };
}
