/** Zod checks requests, and no route has a schema of Fastify's, whose compilers take a tenth of the start to load. */

const unreachable = () => {
  throw new Error("unreachable: routes have no schemas");
};

/** For `schemaController`. */
export const noSchemas = { compilersFactory: { buildValidator: unreachable, buildSerializer: unreachable } };
