/** The part of the API reference with the routes for operators. */
export const OPERATOR_TAGS = ['operator'];

/** The last sentence of the description of each route for operators. */
export const FOR_OPERATORS = 'For a token of an operator, without origins and designs.';
