/** The management API: sign-in and everything that people do with their accounts, by the session in their cookie. */

import type { FastifyInstance } from "fastify";
import type { Management } from "../accounts/management.ts";
import type { RateLimiter } from "../accounts/rate-limit.ts";
import type { SignIn } from "../accounts/sign-in.ts";
import type { CountTry } from "../accounts/sign-in-limit.ts";
import type { Signatures } from "../accounts/signature.ts";
import type { Usage } from "../accounts/usage.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { ImageStore } from "../images/store.ts";
import { type Admit, counted } from "./admission.ts";
import { createAskedReader } from "./asked.ts";
import { type Askers, countUsage } from "./count-usage.ts";
import { accountRoutes } from "./routes/account.ts";
import { keyRoutes } from "./routes/account-keys.ts";
import { administrationRoutes } from "./routes/administration.ts";
import { historyRoutes } from "./routes/history.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { type TakeParts, takeRoute } from "./routes/take.ts";
import { usageRoutes } from "./routes/usage.ts";
import { createServe, guardManagement } from "./serve.ts";
import { signedIn } from "./session.ts";

export interface ManagementParts extends Omit<TakeParts, "admit" | "readAsked"> {
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
    readAsked: createAskedReader(parts.optionsSchema, []),
  };
  takeRoute(app, playground, { method: ["POST"], url: "/v1/account/playground" });
}

/** The session in the place of a key: the same limits, counted for the account. */
function createPlaygroundAdmission({ signIn, management, rateLimiter }: ManagementParts, askers: Askers): Admit {
  return async (request, reply, meanwhile) => {
    const { userId } = await signedIn(signIn, request, reply);
    const caller = await management.playgroundCaller(userId);
    askers.note(request, caller);
    return await counted(reply, rateLimiter.consume({ id: `account:${userId}`, limit: caller.rateLimit }), meanwhile(caller));
  };
}
