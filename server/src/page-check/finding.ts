import { type PageFinding, type PageFindingCode, pageFindings } from '@cloche/contract/page-check';
import { type Problem, type ProblemCode, problems } from '@cloche/contract/problem';

/** Creates a finding. `fix` is what to change. */
export function createFinding(
  code: PageFindingCode,
  texts: Pick<PageFinding, 'detail' | 'fix'>,
): PageFinding {
  return { code, ...pageFindings[code], ...texts };
}

/** Creates the finding for a problem of the gate. */
export function toFinding(problem: Problem, pageOrigin: string): PageFinding {
  const { code, message: detail } = problem;
  const fix = FIXES[code] ?? 'See the code in the list of problems: /docs/problems.';
  const { title } = problems[code];
  return { code, severity: 'error', title, detail, fix: fix.replaceAll('{origin}', pageOrigin) };
}

const NEW_TOKEN =
  'Create a token with POST /v1/tokens {"capabilities": ["embed"], "origins": ["{origin}"], "type": "api", "user": "~"}, and write it into the URL after "token=".';

const FIXES: Readonly<Partial<Record<ProblemCode, string>>> = {
  'token.missing': NEW_TOKEN,
  'token.malformed': NEW_TOKEN,
  'token.unknown': NEW_TOKEN,
  'token.revoked': NEW_TOKEN,
  'token.expired': `Change "expiresAt" with PATCH /v1/tokens/{id}. Or: ${NEW_TOKEN}`,
  'token.user-disabled': 'The operator of the service can enable the user again.',
  'token.design': 'Add the design to "designs" with PATCH /v1/tokens/{id}, or use another token.',
  'embed.placeholder': NEW_TOKEN,
  'embed.secret-token': `Revoke the token with DELETE /v1/tokens/{id}. ${NEW_TOKEN}`,
  'embed.origin': 'Add "{origin}" to "origins" with PATCH /v1/tokens/{id}.',
  'embed.unverified-origin':
    'Write referrerpolicy="strict-origin" into the iframe, and serve the page and Cloche over https.',
  'design.unknown':
    'Use the id of a design in GET /v1/designs, and the HTML of POST /embed/iframe/v1.',
  'design.not-shared': 'Share the design with PATCH /v1/designs/{id} {"shared": true}.',
  'design.not-ready': 'Wait until the design is ready: GET /v1/designs/{id}.',
  'design.failed': 'Upload another file: PUT /v1/designs/{id}/model.',
};
