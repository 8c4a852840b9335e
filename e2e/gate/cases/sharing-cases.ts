import { CHANGES } from '../gate-actions.ts';
import {
  type CaseOptions,
  createCase,
  createGroup,
  createPair,
  type GateCase,
  LEAVES_PAGE,
  LISTED,
  type PageOptions,
  REQUEST,
  renderFrame,
  renderHiddenFrame,
  UNLISTED,
} from '../gate-case.ts';
import { FRAME_SIZE, type GateRun } from '../gate-run.ts';
import type { GateService } from '../gate-service.ts';

type Prepare = NonNullable<CaseOptions['prepare']>;

/** Replaces the URL by the address of the shared design. */
const useShareAddress = (shared: boolean, path = '/embed/share/v1/'): CaseOptions => ({
  ownDesign: true,
  prepare: async (run, service) => {
    if (shared) await CHANGES.share(run, service);
    run.src = run.toUrl(path + run.designId);
  },
});

const withdrawn = (path: string): CaseOptions => ({
  ownDesign: true,
  prepare: async (run, service) => {
    await CHANGES.share(run, service);
    await CHANGES['stop-sharing'](run, service);
    run.src = run.toUrl(path + run.designId);
  },
});

const stopSharing = (run: GateRun) => `${run.frame()}<script>gate.run(async () => {
  await gate.loaded;
  await gate.call('served');
  await gate.call('stop-sharing');
  await gate.call('reset');
  await gate.load(document.getElementById('embed'));
})</script>`;

const image = (run: GateRun) =>
  `<img ${FRAME_SIZE} src="${run.toUrl(`/share/${run.designId}/image.jpg`)}">`;
const shared = useShareAddress(true);
const notShared = useShareAddress(false);
const fetchSrc = ({ src }: GateRun) =>
  `<script>gate.run(async () => { await gate.report(await (await fetch('${src}')).text()); })</script>`;

/** Designs that their owner shares with anyone, and designs that are not shared, at the same address. */
export const SHARE_CASES: GateCase[] = createGroup('Shared designs', [
  createCase('shared, unlisted page', UNLISTED, 'shown', renderFrame, shared),
  createCase(
    'shared, hidden unlisted page',
    UNLISTED,
    'shown',
    (run) => run.frame('referrerpolicy="no-referrer"'),
    shared,
  ),
  createCase(
    'share page',
    UNLISTED,
    'shown',
    ({ src }) => new URL(src),
    useShareAddress(true, '/share/'),
  ),
  createCase(
    'share page in an iframe, unlisted page',
    UNLISTED,
    'shown',
    renderFrame,
    useShareAddress(true, '/share/'),
  ),
  createCase('picture of a shared design, unlisted page', UNLISTED, 'poster', image, shared),
  createCase('shared, document as a page', UNLISTED, 'denied', ({ src }) => new URL(src), {
    ...shared,
    ...LEAVES_PAGE,
  }),
  createCase('shared, fetch, unlisted page', UNLISTED, 'denied', fetchSrc, {
    ...shared,
    ...REQUEST,
  }),
  createCase('shared, but framed with a token, unlisted page', UNLISTED, 'denied', renderFrame, {
    ownDesign: true,
    prepare: CHANGES.share,
  }),
  ...createPair('not shared', 'denied', renderFrame, notShared),
  createCase('not shared, share page', UNLISTED, 'denied', ({ src }) => new URL(src), {
    ...useShareAddress(false, '/share/'),
    ...LEAVES_PAGE,
  }),
  createCase('not shared, picture, unlisted page', UNLISTED, 'denied', image, notShared),
  createCase('no longer shared', UNLISTED, 'denied', renderFrame, withdrawn('/embed/share/v1/')),
  createCase(
    'no longer shared, share page in an iframe',
    UNLISTED,
    'denied',
    renderFrame,
    withdrawn('/share/'),
  ),
  createCase('no longer shared, while the page is open', UNLISTED, 'denied', stopSharing, shared),
]);

/** Replaces the URL by that of a preview link. */
const usePreview = (
  part: 'url' | 'src',
  change: (run: GateRun, service: GateService) => Promise<unknown> = async () => {},
): CaseOptions => ({
  ownDesign: true,
  prepare: async (run, service) => {
    run.use(await service.addToken({ capabilities: ['read'] }));
    const link = await service.send(
      'POST',
      `/v1/designs/${run.designId}/preview-links`,
      undefined,
      run.token.token,
    );
    const url = new URL((link.json() as Record<typeof part, string>)[part]);
    run.src = run.toUrl(url.pathname + url.search);
    await change(run, service);
  },
});
const forge: Prepare = async (run) => {
  run.src = run.src.replace(
    /(link=.{20})(.)/,
    (_, start: string, letter: string) => start + (letter === 'x' ? 'y' : 'x'),
  );
};
const EVERYWHERE: readonly (readonly [string, PageOptions])[] = [
  ['listed page', LISTED],
  ['unlisted page', UNLISTED],
];

/** Preview links: shown on the pages of the service itself only. */
export const PREVIEW_CASES: GateCase[] = createGroup('Preview links', [
  createCase('page of the link', LISTED, 'shown', ({ src }) => new URL(src), usePreview('url')),
  ...EVERYWHERE.flatMap(([name, page]) => [
    createCase(
      `page of the link in an iframe, ${name}`,
      page,
      'denied',
      renderFrame,
      usePreview('url'),
    ),
    createCase(
      `document of the link in an iframe, ${name}`,
      page,
      'denied',
      renderFrame,
      usePreview('src'),
    ),
    createCase(
      `document of the link in a hidden iframe, ${name}`,
      page,
      'denied',
      renderHiddenFrame,
      usePreview('src'),
    ),
  ]),
  createCase('fetch of the page of the link, unlisted page', UNLISTED, 'denied', fetchSrc, {
    ...usePreview('url'),
    kind: 'read',
  }),
  createCase('document of the link as a page', LISTED, 'denied', ({ src }) => new URL(src), {
    ...usePreview('src'),
    ...LEAVES_PAGE,
  }),
  createCase('changed link', LISTED, 'denied', ({ src }) => new URL(src), {
    ...usePreview('url', forge),
    ...LEAVES_PAGE,
  }),
  createCase('link of a revoked token', LISTED, 'denied', ({ src }) => new URL(src), {
    ...usePreview('url', CHANGES.revoke),
    ...LEAVES_PAGE,
  }),
]);
