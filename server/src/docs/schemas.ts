import { Design, DesignList, UpdateDesignRequest } from '@cloche/contract/design';
import {
  CheckEmbedRequest,
  CheckEmbedResponse,
  EmbedRequest,
  EmbedSnippet,
} from '@cloche/contract/embed';
import { problems } from '@cloche/contract/problem';
import {
  CreatedToken,
  CreateTokenRequest,
  Token,
  TokenList,
  UpdateTokenRequest,
} from '@cloche/contract/token';
import Type from 'typebox';
import type { SchemaName } from './examples.ts';

/** RFC 9457, as `Problem.toJSON` writes it. */
const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'A page of this documentation.' }),
    status: Type.Integer(),
    code: Type.Enum(Object.keys(problems), { description: 'Stable: decide by this.' }),
    title: Type.String(),
    detail: Type.String({ description: 'What was wrong, and what would be right. For people.' }),
    field: Type.Optional(Type.String({ description: 'The part of the request at fault.' })),
    reason: Type.Optional(
      Type.String({ description: 'A stable word where one code has several causes.' }),
    ),
  },
  { description: 'What went wrong. Every code is explained at /docs/problems.' },
);

/** The shapes on the wire that have a name of their own in the OpenAPI document. */
export const SCHEMAS: Readonly<Record<SchemaName, object>> = {
  EmbedRequest,
  EmbedSnippet,
  CreateTokenRequest,
  CreatedToken,
  Token,
  UpdateTokenRequest,
  TokenList,
  CheckEmbedRequest,
  CheckEmbedResponse,
  Design,
  UpdateDesignRequest,
  DesignList,
  Problem: ProblemSchema,
};
