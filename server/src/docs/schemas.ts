import {
  Design,
  DesignList,
  Revision,
  RevisionList,
  UpdateDesignRequest,
} from '@cloche/contract/design';
import {
  CheckEmbedRequest,
  CheckEmbedResponse,
  EmbedRequest,
  EmbedSnippet,
} from '@cloche/contract/embed';
import { EmbedUsageList } from '@cloche/contract/embed-usage';
import { LogLevelState, SetLogLevelRequest } from '@cloche/contract/log-level';
import { MetricHistory } from '@cloche/contract/metric-history';
import { CheckPageRequest, PageCheck } from '@cloche/contract/page-check';
import { PreviewLink } from '@cloche/contract/preview-link';
import { problems } from '@cloche/contract/problem';
import { ProcessingJob, ProcessingJobList } from '@cloche/contract/processing-job';
import { Session, SessionList, SignInRequest } from '@cloche/contract/session';
import { StorageUse, SystemInfo } from '@cloche/contract/system';
import { DesignTagList } from '@cloche/contract/tag';
import {
  CreatedToken,
  CreateTokenRequest,
  RotateTokenRequest,
  Token,
  TokenList,
  UpdateTokenRequest,
} from '@cloche/contract/token';
import { Usage } from '@cloche/contract/usage';
import {
  CreatedUser,
  CreateUserRequest,
  SignInLink,
  UpdateUserRequest,
  User,
  UserList,
} from '@cloche/contract/user';
import Type from 'typebox';
import type { SchemaName } from './examples.ts';

/** The output of `Problem.toJSON` (RFC 9457). */
const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'The URL of the page that explains the problem.' }),
    status: Type.Integer(),
    code: Type.Enum(Object.keys(problems), {
      description: 'Stable identifier: use this in programs.',
    }),
    title: Type.String(),
    detail: Type.String({ description: 'What was wrong and how to correct it, for people.' }),
    field: Type.Optional(Type.String({ description: 'The invalid part of the request.' })),
    reason: Type.Optional(
      Type.String({
        description: 'A stable identifier of the cause, for codes with several causes.',
      }),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String(),
          code: Type.String(),
          detail: Type.String(),
          reason: Type.Optional(Type.String()),
        }),
        {
          description:
            'If several fields are invalid: what is wrong with each. The problem itself describes the first.',
        },
      ),
    ),
  },
  { description: 'A problem. Every code is explained at /docs/problems.' },
);

/** The schemas that have a name in the OpenAPI document. */
export const SCHEMAS: Readonly<Record<SchemaName, object>> = {
  EmbedRequest,
  EmbedSnippet,
  CreateTokenRequest,
  CreatedToken,
  Token,
  UpdateTokenRequest,
  RotateTokenRequest,
  TokenList,
  EmbedUsageList,
  CheckEmbedRequest,
  CheckEmbedResponse,
  CheckPageRequest,
  PageCheck,
  Design,
  UpdateDesignRequest,
  DesignList,
  DesignTagList,
  Revision,
  RevisionList,
  PreviewLink,
  Session,
  SessionList,
  SignInRequest,
  Usage,
  User,
  UserList,
  CreateUserRequest,
  CreatedUser,
  UpdateUserRequest,
  SignInLink,
  ProcessingJob,
  ProcessingJobList,
  SystemInfo,
  StorageUse,
  LogLevelState,
  SetLogLevelRequest,
  MetricHistory,
  Problem: ProblemSchema,
};
