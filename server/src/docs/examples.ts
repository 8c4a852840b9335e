import type { Design, Revision, UpdateDesignRequest } from '@cloche/contract/design';
import {
  type CheckEmbedRequest,
  type CheckEmbedResponse,
  type EmbedRequest,
  type EmbedSnippet,
  TOKEN_PLACEHOLDER,
} from '@cloche/contract/embed';
import type { EmbedUsage } from '@cloche/contract/embed-usage';
import { toDesignUri } from '@cloche/contract/id';
import { type CheckPageRequest, type PageCheck, pageFindings } from '@cloche/contract/page-check';
import type { PreviewLink } from '@cloche/contract/preview-link';
import { type ProblemDetails, problems } from '@cloche/contract/problem';
import type { Session, SignInRequest } from '@cloche/contract/session';
import type {
  CreatedToken,
  CreateTokenRequest,
  RotateTokenRequest,
  Token,
  UpdateTokenRequest,
} from '@cloche/contract/token';
import type { Usage } from '@cloche/contract/usage';

import { operatorExamples } from './operator-examples.ts';

const DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const SHOP = 'https://shop.example';
const PUBLIC_TOKEN = 'cloche_pk_…';

const MODEL_COUNTS = {
  bytes: 1_482_300,
  triangles: 48_210,
  vertices: 27_904,
  nodes: 6,
  meshes: 3,
  materials: 2,
  textures: 4,
  animations: 0,
  variants: 0,
};

const design: Design = {
  id: DESIGN_ID,
  uri: toDesignUri(DESIGN_ID),
  name: 'Oak chair',
  description: 'Solid oak, oiled.',
  tags: ['chair', 'oak'],
  externalId: 'SKU-4711',
  metadata: { collection: 'autumn 2026' },
  maxTriangles: null,
  maxTextureSize: null,
  shared: false,
  viewer: { background: '#f4f1ec' },
  status: 'ready',
  revision: 1,
  poster: {
    url: `https://cloche.example.com/v1/designs/${DESIGN_ID}/poster?link=…`,
    width: 1200,
    height: 900,
    smallUrl: `https://cloche.example.com/v1/designs/${DESIGN_ID}/poster?link=…`,
    expiresAt: '2026-05-04T10:00:00.000Z',
  },
  stats: {
    ...MODEL_COUNTS,
    bounds: { min: [-0.26, 0, -0.27], max: [0.26, 0.84, 0.27] },
    extensions: ['KHR_mesh_quantization'],
  },
  report: {
    format: 'glb',
    before: { ...MODEL_COUNTS, bytes: 9_120_448, triangles: 96_400, vertices: 61_222 },
    after: MODEL_COUNTS,
    previewBytes: 71_300,
    levels: {
      geometries: [{ triangles: MODEL_COUNTS.triangles, bytes: 96_200 }],
      textures: [
        { size: 384, imageSize: 384, pixels: 442_368, bytes: 34_200 },
        { size: 1024, imageSize: 1024, pixels: 3_145_728, bytes: 131_700 },
        { size: 2048, imageSize: 2048, pixels: 12_582_912, bytes: 402_500 },
      ],
      uvPerMeter: 0.8,
    },
    steps: [
      { name: 'read', durationMs: 240 },
      { name: 'geometry', durationMs: 610 },
      { name: 'textures', durationMs: 1480 },
    ],
    warnings: [],
  },
  progress: null,
  problem: null,
  createdAt: '2026-05-04T09:12:00.000Z',
  updatedAt: '2026-05-04T09:12:00.000Z',
};

const revision: Revision = {
  number: 1,
  status: 'ready',
  shown: true,
  format: 'glb',
  fileName: 'chair.glb',
  bytes: 9_120_448,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  problem: null,
  createdAt: '2026-05-04T09:12:00.000Z',
};

const createTokenRequest: CreateTokenRequest = {
  capabilities: ['embed'],
  origins: [SHOP],
  type: 'api',
  user: '~',
};

const tokenFields = {
  id: 'tok_3kTMd9Qx0aZ1bY2c',
  capabilities: ['embed' as const],
  origins: [SHOP],
  type: 'api' as const,
  user: 'usr_1nB7cX0pLq9sT4vW',
  name: 'shop.example, product pages',
  designs: null,
  createdAt: '2026-05-04T09:15:00.000Z',
  expiresAt: null,
  issuedBy: 'tok_9pLw2Rk5uH7mE4sX',
  replaces: null,
};

const token: Token = {
  ...tokenFields,
  replacedBy: null,
  lastUsedAt: '2026-05-04T10:01:30.000Z',
  seenInBrowserAt: null,
  usedFrom: [{ origin: SHOP, lastUsedAt: '2026-05-04T10:01:30.000Z' }],
};
const embedUsage: EmbedUsage = {
  origin: SHOP,
  day: '2026-05-04',
  views: 214,
  bytes: 96_410_320,
  firstSeenAt: '2026-05-04T00:02:11.000Z',
  lastSeenAt: '2026-05-04T10:01:30.000Z',
};
const createdToken: CreatedToken = { ...tokenFields, token: PUBLIC_TOKEN };
const updateTokenRequest: UpdateTokenRequest = { origins: [SHOP, 'https://www.shop.example'] };

const rotateTokenRequest: RotateTokenRequest = { gracePeriodSeconds: 86_400 };

const embedRequest: EmbedRequest = {
  uri: toDesignUri(DESIGN_ID),
  options: { cameraOrbit: '30deg 75deg 105%', autoRotate: true, background: '#f4f1ec' },
};
const updateDesignRequest: UpdateDesignRequest = {
  name: 'Oak chair',
  description: 'Solid oak, oiled.',
};

const checkEmbedRequest: CheckEmbedRequest = {
  tokenId: tokenFields.id,
  design: DESIGN_ID,
  ancestors: ['https://www.shop.example'],
};

const checkEmbedResponse: CheckEmbedResponse = {
  allowed: false,
  code: 'embed.origin',
  detail:
    'https://www.shop.example is not in the token\'s list. The list has https://shop.example, without "www."; to browsers these are different origins. Add https://www.shop.example to the token\'s origins if designs may be shown there.',
  warnings: [
    'https://shop.example is listed, but https://www.shop.example is not. Visitors may use either, so list both.',
  ],
};

const SANDBOX_CODE = 'frame.sandbox';
const checkPageRequest: CheckPageRequest = { url: `${SHOP}/chairs` };

const pageCheck: PageCheck = {
  url: `${SHOP}/chairs`,
  redirects: [],
  shows: false,
  summary:
    'The page has 1 embed; 0 of them can be shown. First: The sandbox of the iframe is too strict.',
  findings: [],
  embeds: [
    {
      element: 'iframe',
      line: 84,
      design: DESIGN_ID,
      tokenId: 'tok_9pLw2Rk5uH7mE4sX',
      options: { autoRotate: true },
      shows: false,
      findings: [
        {
          ...pageFindings[SANDBOX_CODE],
          code: SANDBOX_CODE,
          detail:
            'The sandbox has no allow-same-origin: the viewer cannot run, or cannot load its files.',
          fix: 'Remove the attribute, or write sandbox="allow-scripts allow-same-origin".',
        },
      ],
    },
  ],
  embedCount: 1,
};

const problem: ProblemDetails = {
  type: '/docs/problems#token.missing',
  status: 401,
  code: 'token.missing',
  title: problems['token.missing'].title,
  detail: 'Send the header "Authorization: Bearer <API_TOKEN>" with a token of this service.',
  field: 'header.authorization',
};

const usage: Usage = {
  user: 'usr_1nB7cX0pLq9sT4vW',
  bytes: { stored: 48_213_004, reserved: 1_482_300, limit: 524_288_000 },
  designs: { stored: 31, reserved: 1, limit: null },
};

const session: Session = {
  id: 'ses_5vNc8Wq1rT0yB3xK',
  tokenId: 'tok_9pLw2Rk5uH7mE4sX',
  user: 'usr_1nB7cX0pLq9sT4vW',
  operator: true,
  capabilities: ['read', 'write', 'embed'],
  origins: [],
  designs: null,
  tokenExpiresAt: null,
  userAgent: 'Firefox on Linux',
  createdAt: '2026-05-04T09:15:00.000Z',
  lastUsedAt: '2026-05-04T10:01:30.000Z',
  expiresAt: '2026-05-11T09:15:00.000Z',
  current: true,
};
const signInRequest: SignInRequest = { code: 'cloche_ss_…' };

/** Creates one example for each schema, by its name in the OpenAPI document. */
export function createExamples(publicUrl: string) {
  const src = `${publicUrl}/embed/iframe/v1/${DESIGN_ID}?token=${TOKEN_PLACEHOLDER}`;
  const html = `<iframe src="${src}" title="Oak chair" loading="lazy" referrerpolicy="strict-origin" …></iframe>`;
  const snippet: EmbedSnippet = {
    html,
    src,
    placeholder: TOKEN_PLACEHOLDER,
    uri: toDesignUri(DESIGN_ID),
  };
  const previewLink: PreviewLink = {
    url: `${publicUrl}/preview/${DESIGN_ID}?link=tok_…`,
    src: `${publicUrl}/embed/preview/v1/${DESIGN_ID}?link=tok_…`,
    expiresAt: '2026-05-04T09:25:00.000Z',
  };
  return {
    EmbedRequest: embedRequest,
    EmbedSnippet: snippet,
    CreateTokenRequest: createTokenRequest,
    CreatedToken: createdToken,
    Token: token,
    UpdateTokenRequest: updateTokenRequest,
    RotateTokenRequest: rotateTokenRequest,
    TokenList: { items: [token], unreadable: [], nextCursor: null },
    EmbedUsageList: { items: [embedUsage], nextCursor: null },
    CheckEmbedRequest: checkEmbedRequest,
    CheckEmbedResponse: checkEmbedResponse,
    CheckPageRequest: checkPageRequest,
    PageCheck: pageCheck,
    Design: design,
    UpdateDesignRequest: updateDesignRequest,
    Revision: revision,
    RevisionList: { items: [revision], unreadable: [], nextCursor: null },
    DesignList: { items: [design], unreadable: [], nextCursor: null },
    DesignTagList: { items: [{ tag: 'oak', designs: 12 }], nextCursor: null },
    PreviewLink: previewLink,
    Session: session,
    SessionList: { items: [session], nextCursor: null },
    SignInRequest: signInRequest,
    Usage: usage,
    ...operatorExamples,
    Problem: problem,
  };
}

/** The name of a schema in the OpenAPI document. */
export type SchemaName = keyof ReturnType<typeof createExamples>;
