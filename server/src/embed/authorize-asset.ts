import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { ProcessingProgress } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { GRANT_HEADER } from '@cloche/contract/viewer-config';
import type { FastifyRequest } from 'fastify';
import type { BlobRange, BlobRef, BlobStore } from '../blobs/blob-store.ts';
import type { Artifact, ReadyRevision } from '../designs/design.ts';
import type { DesignStore } from '../designs/design-store.ts';
import type { PublicHost } from '../http/public-host.ts';
import { assertDesignInScope } from '../tokens/authorize.ts';
import { assertActive } from '../tokens/token.ts';
import {
  type AssetGrant,
  createGrantError,
  type GrantSigner,
  SHARED_GRANTEE,
} from './asset-grant.ts';
import { getSharedDesign, type ShareStores } from './authorize-share.ts';
import { createNotReadyError, type EmbedStores, getVisibleDesign } from './authorize-view.ts';

type AuthorizeAssetDependencies = EmbedStores &
  ShareStores & {
    blobs: Pick<BlobStore, 'open' | 'read'>;
    grantSigner: GrantSigner;
    publicHost: PublicHost;
    /** Of the job that runs. */
    findProgress: (designId: string) => ProcessingProgress | undefined;
    now: () => Date;
  };

/** A file that a framed document may load, and where it is stored. */
export type AuthorizedAsset = {
  artifact: Artifact;
  blobs: Pick<BlobStore, 'open' | 'read'>;
  /** Undefined if a ticket allows it, which names no token. */
  grant?: AssetGrant;
};

/** The next request for a model that is being made. The viewer waits for longer after each response. */
const POLL_AFTER_SECONDS = 1;
/** From this progress on, the model is written: it is ready within a few seconds, and the viewer asks often. */
const NEARLY_READY_PERCENT = 75;

/**
 * Returns the artifact if the request may load it: it must come from our own page, with a grant whose
 * token is still active and has lost no origin since, or whose design is still shared, and whose revision
 * has this artifact. For the preview of a revision that is being processed, the same conditions apply.
 *
 * @throws {Problem} embed.cross-site, embed.grant, token.unknown, token.revoked, token.expired, token.design,
 *   design.unknown, design.not-ready, design.failed, design.not-shared, embed.asset
 */
export async function authorizeAsset(
  { headers }: FastifyRequest,
  blob: BlobRef,
  dependencies: AuthorizeAssetDependencies,
): Promise<AuthorizedAsset> {
  const { designs } = dependencies;
  const grant = await authorizeGrant(headers, dependencies);
  // The revision of the grant, not the current one: a page opened before an update still loads its model.
  const revision = await designs.findReadyRevision(grant.revisionId);
  if (revision === undefined) return authorizeEarlyPreview(designs, grant, blob);
  const artifact = revision.artifacts.find((candidate) => candidate.blob === blob);
  if (artifact === undefined) throw new Problem('embed.asset');
  return { artifact, blobs: dependencies.blobs, grant };
}

async function authorizeEarlyPreview(
  designs: DesignStore,
  grant: AssetGrant,
  blob: BlobRef,
): Promise<AuthorizedAsset> {
  const preview = await designs.findEarlyPreview(grant.revisionId);
  if (preview === undefined) {
    throw createGrantError('outdated', 'The revision of the grant was deleted.');
  }
  if (preview.blob !== blob) throw new Problem('embed.asset');
  const read = () => designs.readEarlyPreview(preview);
  const open = async (_: BlobRef, range?: BlobRange) => {
    const file = await read();
    return file && Readable.from([range ? file.subarray(range.start, range.end + 1) : file]);
  };
  const { sizeBytes } = preview;
  return { artifact: { kind: 'preview', blob, sizeBytes }, blobs: { open, read }, grant };
}

/**
 * Returns the grant of a request, and its revision when its model is ready.
 *
 * @throws {Problem} as authorizeAsset; design.not-ready, design.failed
 */
export async function authorizeModel(
  { headers }: FastifyRequest,
  dependencies: AuthorizeAssetDependencies,
): Promise<{ grant: AssetGrant; revision: ReadyRevision }> {
  const { designs } = dependencies;
  const grant = await authorizeGrant(headers, dependencies);
  const { designId, revisionId } = grant;
  const revision = await designs.findReadyRevision(revisionId);
  if (revision !== undefined) return { grant, revision };
  const isProcessing = (await designs.findEarlyPreview(revisionId)) !== undefined;
  const design = await designs.find(designId);
  if (design === undefined) throw new Problem('embed.asset');
  if (!isProcessing && design.revision !== undefined && design.revision.id !== revisionId)
    throw createGrantError('outdated', 'Another revision is shown now.');
  const { percent = 0 } = dependencies.findProgress(designId) ?? {};
  throw createNotReadyError(
    isProcessing ? { ...design, status: 'processing' } : design,
    percent >= NEARLY_READY_PERCENT ? 0 : POLL_AFTER_SECONDS,
  );
}

/** Checks the page and the grant of a request. */
async function authorizeGrant(
  headers: IncomingHttpHeaders,
  dependencies: AuthorizeAssetDependencies,
): Promise<AssetGrant> {
  const time = dependencies.now();
  const grant = verifyGrant(headers, dependencies, time);
  if (grant.granteeId === SHARED_GRANTEE.id) await getSharedDesign(dependencies, grant.designId);
  else await assertTokenStillAllows(grant, dependencies, time);
  return grant;
}

/**
 * Returns the grant of a request from our own page. Whether its token still allows anything is not checked.
 *
 * @throws {Problem} embed.cross-site, embed.grant
 */
export function verifyGrant(
  headers: IncomingHttpHeaders,
  { grantSigner, publicHost }: Pick<AuthorizeAssetDependencies, 'grantSigner' | 'publicHost'>,
  now: Date,
): AssetGrant {
  assertSameOrigin(headers, publicHost);
  const header = headers[GRANT_HEADER];
  return grantSigner.verify(typeof header === 'string' ? header : undefined, now);
}

async function assertTokenStillAllows(
  { granteeId, designId, scopeVersion }: AssetGrant,
  { tokens, designs }: EmbedStores,
  now: Date,
): Promise<void> {
  const token = await tokens.findById(granteeId);
  if (token === undefined) throw new Problem('token.unknown');
  assertActive(token, now);
  if (scopeVersion !== token.scopeVersion) {
    throw createGrantError('outdated', 'Origins were removed from the token of the grant.');
  }
  assertDesignInScope(token, designId);
  await getVisibleDesign(designs, token, designId);
}

function assertSameOrigin(headers: IncomingHttpHeaders, publicHost: PublicHost): void {
  const { 'sec-fetch-site': secFetchSite, origin, host = '' } = headers;
  const fromOwnPage = secFetchSite === undefined || secFetchSite === 'same-origin';
  const isOwnOrigin = origin === undefined || publicHost.isSameServedOrigin(origin, host);
  if (fromOwnPage && isOwnOrigin) return;
  throw new Problem('embed.cross-site', {
    detail:
      'Only our own viewer can load models, not other pages. Embed the design with the HTML of POST /embed/iframe/v1.',
  });
}
