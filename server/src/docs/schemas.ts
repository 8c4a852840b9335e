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
import { PreviewLink } from '@cloche/contract/preview-link';
import { problems } from '@cloche/contract/problem';
import { Session } from '@cloche/contract/session';
import {
  CreatedToken,
  CreateTokenRequest,
  RotateTokenRequest,
  Token,
  TokenList,
  UpdateTokenRequest,
} from '@cloche/contract/token';
import { Usage } from '@cloche/contract/usage';
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
  CheckEmbedRequest,
  CheckEmbedResponse,
  Design,
  UpdateDesignRequest,
  DesignList,
  Revision,
  RevisionList,
  PreviewLink,
  Session,
  Usage,
  Problem: ProblemSchema,
};
