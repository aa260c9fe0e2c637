/** Maps requests to accounts, for limits per account. */

import type { FastifyRequest } from "fastify";

const accounts = new WeakMap<FastifyRequest, string>();

/** Account of the API key; undefined until the key has been accepted, and for requests without one. */
export const accountOf = (request: FastifyRequest): string | undefined => accounts.get(request);

export const setAccount = (request: FastifyRequest, userId: string): void => void accounts.set(request, userId);
