/** The management API: sign-in and everything that people do with their accounts, by the session in their cookie. */

import type { FastifyInstance } from "fastify";
import type { Signatures } from "../../accounts/keys/signature.ts";
import type { Management } from "../../accounts/management.ts";
import type { SignIn } from "../../accounts/people/sign-in.ts";
import type { CountTry } from "../../accounts/people/sign-in-limit.ts";
import type { Usage } from "../../accounts/usage/counts.ts";
import type { RateLimiter } from "../../accounts/usage/rate-limit.ts";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import type { ImageStore } from "../../images/store.ts";
import { type Admit, counted } from "../screenshots/admission.ts";
import { createTakeRequestParser } from "../screenshots/parse-take-request.ts";
import { type TakeRouteParts, takeRoute } from "../screenshots/take.ts";
import { type Askers, countUsage } from "../screenshots/usage-tracker.ts";
import { createServe, guardManagement } from "../serve.ts";
import { accountRoutes } from "./account.ts";
import { administrationRoutes } from "./administration.ts";
import { historyRoutes } from "./history.ts";
import { keyRoutes } from "./keys.ts";
import { signedIn } from "./session.ts";
import { signInRoutes } from "./sign-in.ts";
import { usageRoutes } from "./usage.ts";

export interface ManagementParts extends Omit<TakeRouteParts, "admit" | "parseTakeRequest"> {
  config: Config;
  clock: Clock;
  management: Management;
  signIn: SignIn;
  countTry: CountTry;
  usage: Usage;
  rateLimiter: RateLimiter;
  signatures: Signatures;
  store: ImageStore;
}

/** For an instance of its own. */
export function managementRoutes(app: FastifyInstance, parts: ManagementParts): void {
  const { config } = parts;
  guardManagement(app, config.WEB_PUBLIC_URL);
  const serve = createServe(app, parts.signIn);
  const defaultLimit = { requests: config.RATE_LIMIT_MAX_REQUESTS, windowSeconds: Math.ceil(config.RATE_LIMIT_WINDOW_MS / 1000) };
  const shared = { ...parts, defaultLimit, prefix: config.DEFAULT_API_KEY_PREFIX };
  signInRoutes(serve, shared);
  accountRoutes(serve, shared);
  keyRoutes(serve, shared);
  historyRoutes(serve, shared);
  usageRoutes(serve, shared);
  administrationRoutes(serve, shared);
  const playground = {
    ...parts,
    admit: createPlaygroundAdmission(parts, countUsage(app, parts.usage)),
    parseTakeRequest: createTakeRequestParser(parts.takeSchema, []),
  };
  takeRoute(app, playground, { method: ["POST"], url: "/v1/account/playground" });
}

/** The session in the place of a key: the same limits, counted for the account. */
function createPlaygroundAdmission({ signIn, management, rateLimiter }: ManagementParts, askers: Askers): Admit {
  return async (request, reply, lookup) => {
    const { userId } = await signedIn(signIn, request, reply);
    const caller = await management.playgroundCaller(userId);
    askers.note(request, caller);
    const counting = rateLimiter.consume({ id: `account:${userId}`, limit: caller.rateLimit });
    return await counted(request, reply, counting, () => lookup(caller));
  };
}
