import Type from 'typebox';

/** Path parameters of the routes of one token. */
export const TokenIdParams = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The id of the token, not the token string.' }),
});
