/** `/json/version` and the WebSocket that lends a browser to DevTools protocol clients such as Puppeteer. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { ApiKey, Caller } from "../accounts/keys/caller.ts";
import { lengthMax } from "../cdp/messages.ts";
import type { BrowserSessions } from "../cdp/sessions.ts";
import { AppError } from "../shared/errors.ts";
import { sessionName } from "../shared/storage-state.ts";
import { createQueryReader } from "./input/read-input.ts";
import { queryOf } from "./input/request-target.ts";
import { type AdmissionParts, type Credentials, createAdmission, keysOf } from "./screenshots/admission.ts";
import { errorBodyOf, setErrorBody } from "./server/error-handler.ts";
import { followDisconnection } from "./server/requests.ts";
import { assertUpgrade, createAccept, routeUpgrades } from "./server/upgrades.ts";

interface EndpointParts {
  sessions: BrowserSessions;
  /** Version of the running browsers; undefined before the first has started. */
  identity: () => { version: string; userAgent: string } | undefined;
  timeoutMaxMs: number;
  /** Blockable categories, such as `ads`. */
  blockable: readonly string[];
}

/** `/devtools/browser/…` is Chromium's own path. */
const paths = ["/", "/chrome", "/chromium", "/devtools/browser/:id"];

/** Paths at which other products accept Playwright's `connect`. */
const playwrightPaths = ["", "/chromium", "/chrome", "/edge", "/firefox", "/webkit"].map((browser) => `${browser}/playwright`);

/** Requires a dedicated server. */
export function browserEndpointRoutes(app: FastifyInstance, parts: EndpointParts, admission: AdmissionParts): void {
  const { sessions, identity, timeoutMaxMs, blockable } = parts;
  const { admit } = createAdmission(admission, credentials);
  const readOptions = createQueryReader(optionsSchema(timeoutMaxMs, blockable));
  const accept = createAccept(lengthMax.text);
  routeUpgrades(app);
  setErrorOfMissingKeys(app);

  app.get("/json/version", { exposeHeadRoute: false }, async (request, reply) => {
    assertUnbound(await admit(request, reply));
    const warning = ignoredIn(request);
    if (warning) reply.header("x-warnings", warning);
    const { version, userAgent } = identity() ?? { version: "0", userAgent: "" };
    return {
      Browser: `Chrome/${version}`,
      "Protocol-Version": "1.3",
      "User-Agent": userAgent,
      webSocketDebuggerUrl: `${request.protocol === "https" ? "wss" : "ws"}://${request.host}/${query(request)}`,
    };
  });

  for (const path of paths) {
    app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
      assertUpgrade(request);
      const key = (await admit(request, reply)) as ApiKey;
      assertUnbound(key);
      const { timeout, session, ...blocks } = readOptions(ownOptions(request));
      const serve = await sessions.open({
        key,
        keyText: keyTextOf(request),
        timeoutMs: Math.min(timeout ?? timeoutMaxMs, timeoutMaxMs),
        block: blockable.filter((name) => (blocks as Record<string, unknown>)[`block_${name}`]),
        session,
        signal: followDisconnection(reply),
      });
      const warning = ignoredIn(request);
      serve(accept(request, reply, warning ? { "x-warnings": warning } : {}));
    });
  }

  for (const path of playwrightPaths)
    app.get(path, { exposeHeadRoute: false }, async () => {
      throw new AppError("invalid_parameters", {
        message: "Playwright's own protocol is not supported: use chromium.connectOverCDP with this URL, but without its path.",
      });
    });
}

const keyNames = ["token", "api_key"];

/** Also accepts the key as `token`, as browserless does. */
const credentials: Credentials = {
  elsewhereHint: ", or in the query parameter token",
  keyElsewhere: (request) => queryOf(request).parameters.token?.find((value) => value !== ""),
  namesOf: () => [],
  // A signature restricts what may be captured. It can't restrict what a client does in a browser.
  assertSigned: (_signatures, key) => {
    if (!key.requireSignature) return;
    throw new AppError("signature_invalid", {
      message: "The API key accepts only signed requests, but connections to a browser can't be signed.",
    });
  },
};

function keyTextOf(request: FastifyRequest): string {
  return keysOf(request)[0] ?? credentials.keyElsewhere(request) ?? "";
}

/** Targets can't be enforced in a lent browser: the client can replace the content of any response. */
function assertUnbound({ allowedTargets }: Caller): void {
  if (allowedTargets.length === 0) return;
  const message =
    "The API key is restricted to certain targets, which can't be enforced in a lent browser: use a key without this restriction.";
  throw new AppError("target_not_allowed", { message });
}

const optionsSchema = (timeoutMaxMs: number, blockable: readonly string[]) => {
  const blocks = Object.fromEntries(blockable.map((name) => [`block_${name}`, z.boolean().optional()]));
  return z.strictObject({
    timeout: z
      .int()
      .min(1000)
      .optional()
      .meta({ description: `Connection time limit in milliseconds, at most ${timeoutMaxMs}.` }),
    session: sessionName.optional().meta({ description: "Session whose cookies and storage the browser starts with." }),
    ...blocks,
  });
};

/** Drops unknown query parameters, since URLs written for other products may contain additional ones. */
function ownOptions(request: FastifyRequest) {
  return Object.fromEntries(Object.entries(queryOf(request).parameters).filter(([name]) => isOption(name)));
}

function isOption(name: string): boolean {
  return name === "timeout" || name === "session" || name.startsWith("block_");
}

/** Warning about ignored query parameters; undefined if there are none. */
function ignoredIn(request: FastifyRequest): string | undefined {
  const others = Object.keys(queryOf(request).parameters).filter((name) => !isOption(name) && !keyNames.includes(name));
  const shown = others.slice(0, namesMax).map((name) => name.replace(/[^\w.[\]-]/g, "?").slice(0, 50));
  return shown.length === 0
    ? undefined
    : `unknown parameters were ignored: ${shown.join(", ")}${others.length > namesMax ? " and others" : ""}`;
}

/** Maximum number of parameters named in a warning. */
const namesMax = 10;

function query(request: FastifyRequest): string {
  const { text } = queryOf(request);
  return text === "" ? "" : `?${text}`;
}

/** Responds with 401 if the key is missing, as DevTools clients expect, or if different keys are sent. */
function setErrorOfMissingKeys(app: FastifyInstance): void {
  const answerFailure = app.errorHandler;
  app.setErrorHandler((error: Error, request, reply: FastifyReply) => {
    if (error instanceof AppError && error.details?.some(({ parameter }) => parameter === "api_key")) {
      const bytes = Buffer.from(JSON.stringify(errorBodyOf(error, request.id)));
      setErrorBody(request, { type: "application/json; charset=utf-8", bytes, status: 401 });
    }
    return answerFailure(error, request, reply);
  });
}
