import type { Session } from '@cloche/contract/session';

/** What a session may do, by the limits of its token. */
export type Permissions = {
  mayRead: boolean;
  mayWrite: boolean;
  mayEmbed: boolean;
  /** Whether it may create designs: a token for some designs may only replace their files. */
  mayUpload: boolean;
  /** Whether it may create tokens for all designs of the user. */
  mayIssueForAll: boolean;
  /** Whether it may let anyone see a design, on any page. */
  mayShare: boolean;
  /** Whether it may manage the service: a token of an operator, without limits. */
  isOperator: boolean;
};

/** The rules are those of the service, which checks each request. */
export function toPermissions({
  capabilities,
  origins,
  designs,
  operator,
}: Pick<Session, 'capabilities' | 'origins' | 'designs' | 'operator'>): Permissions {
  const mayWrite = capabilities.includes('write');
  const mayEmbed = capabilities.includes('embed');
  const hasAllDesigns = designs === null;
  return {
    mayRead: capabilities.includes('read'),
    mayWrite,
    mayEmbed,
    mayUpload: mayWrite && hasAllDesigns,
    mayIssueForAll: mayWrite && hasAllDesigns,
    mayShare: mayWrite && mayEmbed && origins.length === 0,
    isOperator: operator && hasAllDesigns && origins.length === 0,
  };
}
