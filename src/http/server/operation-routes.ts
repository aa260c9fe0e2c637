/**
 * Creates routes from public and management operations. The routes check the session unless they are public, validate input, and serialize
 * the response.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { SignedIn, SignIn } from "../../accounts/people/sign-in.ts";
import { addressBucket, type CountAttempt } from "../../accounts/usage/rate-limit.ts";
import type { Actor } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { turnOf } from "../../shared/turns.ts";
import { addressOwner } from "../../shared/work-owner.ts";
import { createOriginCheck, requireSession } from "../account/request-session.ts";
import { createInputReader, createQueryReader } from "../input/read-input.ts";
import { queryOf } from "../input/request-target.ts";
import { methodsOf, type Operation } from "../openapi/operation.ts";
import { hasBody } from "./requests.ts";

interface Input<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The signed-in user, with the actor for the audit log. */
type Session = SignedIn & { actor: Actor };

type Shapes = [z.ZodObject, z.ZodObject, z.ZodType, z.ZodType];
type InputOf<S extends Shapes> = Input<z.output<S[0]>, z.output<S[1]>, z.output<S[2]>>;

/** The content of the response; void if the operation has none. */
// biome-ignore lint/suspicious/noConfusingVoidType: functions without a return statement have this type
type Content<A extends z.ZodType> = Promise<z.input<A> | FastifyReply | (A extends z.ZodUndefined ? void : never)>;

/** Handlers return the content of the response, or the reply if they have sent it themselves. They may override the operation's status. */
export interface Routes {
  /** Serves an operation to anyone. */
  publicRoute<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType>(
    operation: Operation<P, Q, B, A>,
    handle: (input: InputOf<[P, Q, B, A]>) => Content<A>,
  ): void;
  /** Serves an operation to signed-in users, or only to administrators, depending on its `access`. */
  accountRoute<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType>(
    operation: Operation<P, Q, B, A>,
    handle: (input: InputOf<[P, Q, B, A]>, session: Session) => Content<A>,
  ): void;
}

/** Origin check and headers for all routes of the management API. Requires a dedicated Fastify instance. */
export function guardManagement(app: FastifyInstance, publicUrl: string): void {
  app.removeContentTypeParser("text/plain"); // pages of other sites may send it without a CORS preflight
  const assertOrigin = createOriginCheck(publicUrl);
  app.addHook("onRequest", async (request) => assertOrigin(request));
  app.addHook("onSend", async (_request, reply) => {
    reply.header("x-content-type-options", "nosniff").header("x-robots-tag", "noindex");
    if (reply.getHeader("cache-control") !== revalidated) reply.header("cache-control", "no-store");
  });
}

/**
 * For images, which never change: the browser caches them, but revalidates before each use, which checks that the user is still signed in.
 */
export const revalidated = "private, no-cache";

/** @param countChange counts an account's changes, whichever of its sessions makes them: each may add rows that are kept for a year. */
export function createOperationRoutes(app: FastifyInstance, signIn: SignIn, countChange?: CountAttempt): Routes {
  const ownerOf = (request: FastifyRequest, session: unknown) => (session as SignedIn | undefined)?.userId ?? addressBucket(request.ip);

  /** `authorize` runs first, so that no input is validated for unauthorized requests. */
  function route<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType, S>(
    operation: Operation<P, Q, B, A>,
    authorize: (request: FastifyRequest, reply: FastifyReply) => Promise<S>,
    handle: (input: InputOf<[P, Q, B, A]>, session: S) => Content<A>,
    count?: (session: S) => Promise<void>,
  ): void {
    const { path: url, params, query, body, answer, status } = operation;
    const read = createQueryReader(query);
    const readQuery = (request: FastifyRequest) => (operation.readsOwnQuery ? ({} as z.output<Q>) : read(queryOf(request).parameters));
    const readBody = body.type === "undefined" ? () => undefined : createInputReader(body);
    app.route({
      method: methodsOf(operation),
      url,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const session = await authorize(request, reply);
        if (hasBody(request)) await turnOf(addressOwner(addressBucket(request.ip)));
        const named = params.safeParse(request.params);
        if (!named.success) throw new AppError("not_found");
        const input = {
          params: named.data,
          query: readQuery(request),
          body: readBody(request.body) as z.output<B>,
          request,
          reply,
        };
        await count?.(session);
        const content = await handle(input, session);
        // If the handler returns the reply, Fastify waits until it has been sent or the client has disconnected.
        if (reply.sent || content === reply) return reply;
        await turnOf(ownerOf(request, session)); // checking and serializing a megabyte takes several milliseconds
        if (reply.raw.destroyed) return reply;
        if (reply.statusCode === 200) reply.code(status);
        return reply.send(answer.parse(content));
      },
    });
  }

  return {
    publicRoute: (operation, handle) => route(operation, async () => undefined, handle),
    accountRoute: (operation, handle) =>
      route(
        operation,
        async (request, reply): Promise<Session> => {
          const session = await requireSession(signIn, request, reply, operation.beforeSecondFactor);
          if (operation.access === "admin" && !session.isAdmin) throw new AppError("not_permitted");
          return { ...session, actor: { via: "dashboard", userId: session.userId, ip: request.ip } };
        },
        handle,
        operation.method === "GET" || operation.changesNothing ? undefined : async ({ userId }) => await countChange?.(userId),
      ),
  };
}
