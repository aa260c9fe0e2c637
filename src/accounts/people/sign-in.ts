/** Signs people up, in and out, and says who a request's session belongs to. */

import type pg from "pg";
import { answerInTime, isDatabaseAway } from "../../database.ts";
import { AppError } from "../../errors.ts";
import type { Auth, AuthSettings } from "./auth.ts";
import { addressHeader, authPath, signInPage } from "./auth-errors.ts";
import { findProvider, type IdentityProviderSettings, providerId, providerName, withProviderDeadline } from "./identity-provider.ts";

/** Of a request: its cookies, and where and what it comes from. */
export interface Visitor {
  cookie: string | undefined;
  userAgent: string | undefined;
  ip: string;
}

export interface SignedIn {
  sessionId: string;
  userId: string;
  isAdmin: boolean;
}

/** `setCookie`: what the answer must carry. */
export interface Entered {
  userId: string;
  setCookie: string[];
}

export interface SignIn {
  /** Besides e-mail and password. */
  providers: { id: string; name: string }[];
  /** @throws {AppError} `email_taken`, `invalid_parameters`. */
  signUp(visitor: Visitor, person: { name: string; email: string; password: string }): Promise<Entered>;
  /** @throws {AppError} `invalid_credentials`, `account_disabled`. */
  signIn(visitor: Visitor, credentials: { email: string; password: string; remember: boolean }): Promise<Entered>;
  /** Cookies that end the session in the browser; the session itself ends, too. */
  signOut(visitor: Visitor): Promise<string[]>;
  /** @throws {AppError} `not_signed_in`, `unavailable`. */
  whoIs(visitor: Visitor): Promise<SignedIn & { setCookie: string[] }>;
  /** All other sessions end. @throws {AppError} `invalid_parameters` when `current` is wrong. */
  changePassword(visitor: Visitor, passwords: { current: string; new: string }): Promise<string[]>;
  /** Where the browser has to go. @throws {AppError} `not_found` without a provider, `unavailable` while it is down. */
  startWithProvider(visitor: Visitor, returnTo: string): Promise<{ url: string; setCookie: string[] }>;
  /** The provider sent the browser back with `query`: where it goes now, which is a page that says so when something went wrong. */
  finishWithProvider(visitor: Visitor, query: string): Promise<{ url: string; setCookie: string[] }>;
}

/** What of the library's refusals people are told at the sign-in page; all others are `sign_in_failed`. */
const tellable = ["access_denied", "account_not_linked", "account_disabled"];

/** @param provider undefined: there is none. */
export function createSignIn(settings: AuthSettings, provider: IdentityProviderSettings | undefined): SignIn {
  const { pool, publicUrl } = settings;
  // Loaded when somebody signs in first: a service that only takes pictures does without.
  let loaded: Promise<Auth> | undefined;
  const api = async () => {
    loaded ??= import("./auth.ts").then(({ createAuth }) => createAuth(settings));
    return (await loaded).api;
  };
  const ask = <T>(question: (library: Auth["api"]) => Promise<T>) => asked(pool, api().then(question));
  const withProvider = provider && findProvider(settings, provider);
  const page = (path: string) => `${new URL(publicUrl).origin}${path}`;

  return {
    providers: provider ? [{ id: providerId, name: providerName(provider.issuer) }] : [],

    async signUp(visitor, person) {
      const signingUp = ask((library) => library.signUpEmail({ body: person, headers: headersOf(visitor), returnHeaders: true }));
      const { headers, response } = await signingUp.catch((error) => orTaken(pool, person.email, error));
      return { userId: response.user.id, setCookie: headers.getSetCookie() };
    },

    async signIn(visitor, { email, password, remember }) {
      const body = { email, password, rememberMe: remember };
      const { headers, response } = await ask((library) => library.signInEmail({ body, headers: headersOf(visitor), returnHeaders: true }));
      return { userId: response.user.id, setCookie: headers.getSetCookie() };
    },

    async signOut(visitor) {
      const session = await ask((library) => library.getSession({ headers: headersOf(visitor), query: { disableRefresh: true } }));
      // By ourselves first: the library would not say that it failed.
      if (session) await asked(pool, pool.query("delete from sessions where id = $1", [session.session.id]));
      const { headers } = await ask((library) => library.signOut({ headers: headersOf(visitor), returnHeaders: true }));
      return headers.getSetCookie();
    },

    async whoIs(visitor) {
      if (!visitor.cookie) throw new AppError("not_signed_in");
      const { headers, response } = await ask((library) => library.getSession({ headers: headersOf(visitor), returnHeaders: true }));
      if (!response || response.user.disabledAt) throw new AppError("not_signed_in");
      const { session, user } = response;
      return { sessionId: session.id, userId: user.id, isAdmin: user.role === "admin", setCookie: headers.getSetCookie() };
    },

    async changePassword(visitor, passwords) {
      const body = { currentPassword: passwords.current, newPassword: passwords.new, revokeOtherSessions: true };
      const { headers } = await ask((library) => library.changePassword({ body, headers: headersOf(visitor), returnHeaders: true }));
      return headers.getSetCookie();
    },

    async startWithProvider(visitor, returnTo) {
      if (!withProvider) throw new AppError("not_found");
      const { api: atProvider } = await withProvider();
      const body = { provider: providerId, callbackURL: page(returnTo), errorCallbackURL: page(signInPage), disableRedirect: true };
      const { headers, response } = await asked(pool, atProvider.signInSocial({ body, headers: headersOf(visitor), returnHeaders: true }));
      return { url: String(response.url), setCookie: headers.getSetCookie() };
    },

    async finishWithProvider(visitor, query) {
      const failed = { url: page(`${signInPage}?error=sign_in_failed`), setCookie: [] };
      if (!withProvider) return failed;
      const request = new Request(page(`${authPath}/callback/${providerId}?${query}`), { headers: headersOf(visitor) });
      try {
        const { handler } = await withProvider();
        const answer = await withProviderDeadline(handler(request));
        const url = URL.parse(answer.headers.get("location") ?? "", publicUrl);
        const error = url?.pathname === signInPage ? url.searchParams.get("error") : null;
        if (!url || (error && !tellable.includes(error))) return failed;
        // Nothing else of the library's goes into an address of ours.
        return { url: error ? page(`${signInPage}?error=${error}`) : url.href, setCookie: answer.headers.getSetCookie() };
      } catch (error) {
        settings.log.warn({ err: error }, "a sign-in at the identity provider could not be finished");
        return failed;
      }
    },
  };
}

/** Nothing but what the library needs; the address is the connection's, whatever headers the client sent. */
function headersOf({ cookie, userAgent, ip }: Visitor): Headers {
  const headers = new Headers({ [addressHeader]: ip });
  if (cookie) headers.set("cookie", cookie);
  if (userAgent) headers.set("user-agent", userAgent.slice(0, 500));
  return headers;
}

/** The library's answer, its refusals in our words. */
async function asked<T>(pool: pg.Pool, answer: Promise<T>): Promise<T> {
  try {
    return await answerInTime(answer);
  } catch (error) {
    throw refusals[String((error as { body?: { code?: unknown } }).body?.code)]?.() ?? (await orUnavailable(pool, error));
  }
}

/** Of two sign-ups at once the later one fails at the table's constraint, which the library doesn't name. */
async function orTaken(pool: pg.Pool, email: string, error: unknown): Promise<never> {
  if (!(error instanceof AppError)) {
    const { rowCount } = await pool.query("select 1 from users where email = $1", [email.toLowerCase()]);
    if (rowCount === 1) throw new AppError("email_taken", { cause: error });
  }
  throw error;
}

const parameterRefused = (parameter: string, message: string) => () =>
  new AppError("invalid_parameters", { details: [{ parameter, message }] });

const refusals: Record<string, () => AppError> = {
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: () => new AppError("email_taken"),
  USER_ALREADY_EXISTS: () => new AppError("email_taken"),
  INVALID_EMAIL_OR_PASSWORD: () => new AppError("invalid_credentials"),
  INVALID_EMAIL: parameterRefused("email", "email is not an e-mail address"),
  INVALID_PASSWORD: parameterRefused("current_password", "current_password is wrong"),
  CREDENTIAL_ACCOUNT_NOT_FOUND: () => new AppError("not_possible", { message: "The account has no password: it signs in elsewhere." }),
  account_disabled: () => new AppError("account_disabled"),
  UNAUTHORIZED: () => new AppError("not_signed_in"),
};

/** The library hides why it failed; whether the database answers tells. */
async function orUnavailable(pool: pg.Pool, error: unknown): Promise<unknown> {
  const cause = isDatabaseAway(error)
    ? error
    : await answerInTime(pool.query("select 1"), { timeoutMs: 1_000 }).then(
        () => undefined,
        (failure: unknown) => failure,
      );
  return isDatabaseAway(cause) ? new AppError("unavailable", { retryAfterSeconds: 5, cause }) : error;
}
