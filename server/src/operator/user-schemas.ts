import { ListQuery } from '@cloche/contract/pagination';
import {
  CreatedUser,
  CreateUserRequest,
  SignInLink,
  UpdateUserRequest,
  User,
  UserList,
} from '@cloche/contract/user';
import Type from 'typebox';
import { FOR_OPERATORS, OPERATOR_TAGS } from './route-description.ts';

const params = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The id of the user.' }),
});

export const LIST_USERS_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'List users',
  description: `Newest first. ${FOR_OPERATORS}`,
  querystring: ListQuery,
  response: { 200: UserList },
};
export const CREATE_USER_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Add a user',
  description: `The response contains a link that signs in the user, once, within ten minutes. Operators are added on the machine of the service only. ${FOR_OPERATORS}`,
  body: CreateUserRequest,
  response: { 201: CreatedUser },
};
export const READ_USER_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Read a user',
  description: FOR_OPERATORS,
  params,
  response: { 200: User },
};
export const UPDATE_USER_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Change a user',
  description: `Disables or enables a user, and sets its quotas. Nothing is deleted. ${FOR_OPERATORS}`,
  params,
  body: UpdateUserRequest,
  response: { 200: User },
};
export const CREATE_LINK_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Create a link that signs in a user',
  description: `The link works once, within ten minutes. ${FOR_OPERATORS}`,
  params,
  response: { 201: SignInLink },
};
