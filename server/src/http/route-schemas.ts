import Type from 'typebox';

// Constants: Ajv and fast-json-stringify compile a schema once if it is the same object in each app.

/** The parameters of a route that sends one of the files of a build. */
export const FileParams = Type.Object({ file: Type.String() });

/** The body of a response that has none. */
export const NoContent = Type.Null();

/** A body that is text, not JSON. */
export const TextBody = Type.String();
