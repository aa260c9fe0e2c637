/** Signs users up, in and out, and finds the user to whom a request's session belongs. */

import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { once } from "../../shared/once.ts";
import type { AuthSettings } from "./auth.ts";
import { authHeaders, loadAuth, type NewSession, readResponse, type Visitor } from "./auth-calls.ts";
import { inHashTurn } from "./hash-turns.ts";
import { createProviderSignIn, type IdentityProviderSettings, type ProviderSignIn } from "./identity-provider.ts";
import { endPendingSteps } from "./mailed-links.ts";
import { createPasskeySignIn, type PasskeySignIn } from "./passkeys.ts";
import { type CallInTurn, type CallLibrary, type Calls, createRecovery, type Recovery } from "./recovery.ts";
import { createSecondFactor, lacksSecondFactor, type SecondFactor, type SecondFactorRule } from "./second-factor.ts";
import type { Applicant, SignUpPolicy } from "./sign-up.ts";

export interface SignedIn {
  sessionId: string;
  userId: string;
  isAdmin: boolean;
  /** Whether the user must set up a second factor before anything else. */
  lacksSecondFactor: boolean;
}

/** If `userId` is null, the sign-in also requires a code from an authenticator app: see `finishSignIn`. */
export type PasswordAccepted = Omit<NewSession, "userId"> & { userId: string | null };

export interface SignIn extends ProviderSignIn, Recovery, SecondFactor, PasskeySignIn {
  /**
   * Resolves to null if an e-mail was sent to the address, whether or not it already has an account.
   * @throws {AppError} `sign_up_refused`, `invitation_invalid`, `email_taken`, `invalid_parameters`.
   */
  signUp(visitor: Visitor, user: { name: string; email: string; password: string }): Promise<PasswordAccepted | null>;
  /** @throws {AppError} `invalid_credentials`, `account_disabled`, `email_not_verified`. */
  signIn(visitor: Visitor, credentials: { email: string; password: string; remember: boolean }): Promise<PasswordAccepted>;
  /** Ends the session. Returns cookies that remove it from the browser. */
  signOut(visitor: Visitor): Promise<string[]>;
  /**
   * The session that the request's cookie belongs to. `setCookie` renews it in the browser if renewal is due. @throws {AppError}
   * `not_signed_in`, `unavailable`.
   */
  sessionOf(visitor: Visitor): Promise<SignedIn & { setCookie: string[] }>;
  /**
   * Ends all other sessions and renews this one. Returns the session's new cookies.
   * @param passwords.new the caller has checked its length.
   * @throws {AppError} `invalid_parameters` if `current` is wrong; `not_possible` if the user has no password.
   */
  changePassword(visitor: Visitor, passwords: { current: string; new: string }): Promise<string[]>;
}

interface SignInSettings extends AuthSettings {
  /** Who must have a second factor. */
  secondFactorRule: SecondFactorRule;
}

/** @param provider undefined if users sign in only with passwords and passkeys. */
export function createSignIn(database: Database, settings: SignInSettings, provider: IdentityProviderSettings | undefined): SignIn {
  const calls = createCalls(database, settings);
  const { call, callInTurn } = calls;

  const signIn: SignIn["signIn"] = async (visitor, { email, password, remember }) => {
    const body = { email, password, rememberMe: remember };
    const { headers, response } = await callInTurn(visitor, (api) =>
      api.signInEmail({ body, headers: authHeaders(visitor), returnHeaders: true }),
    );
    // The library's type omits the response that asks for a second factor.
    const { user } = response as { user?: { id: string } };
    return { userId: user?.id ?? null, setCookie: headers.getSetCookie() };
  };

  return {
    ...createProviderSignIn(database, settings, provider),
    ...createRecovery(calls, database, settings),
    ...createSecondFactor(calls, database),
    ...createPasskeySignIn(call, settings.publicUrl),

    signUp: createSignUp(database, settings, callInTurn, signIn),
    signIn,

    async signOut(visitor) {
      const session = await call((api) => api.getSession({ headers: authHeaders(visitor), query: { disableRefresh: true } }));
      // Deleted here first, because the library wouldn't report a failure.
      if (session) await database.query("delete from sessions where id = $1", [session.session.id]);
      const { headers } = await call((api) => api.signOut({ headers: authHeaders(visitor), returnHeaders: true }));
      return headers.getSetCookie();
    },

    async sessionOf(visitor) {
      if (!visitor.cookie) throw new AppError("not_signed_in");
      const { headers, response } = await call((api) => api.getSession({ headers: authHeaders(visitor), returnHeaders: true }));
      if (!response || response.user.disabledAt) throw new AppError("not_signed_in");
      const { session, user } = response;
      const isAdmin = user.role === "admin";
      const state = { id: user.id, isAdmin, hasSecondFactor: user.twoFactorEnabled === true };
      return {
        sessionId: session.id,
        userId: user.id,
        isAdmin,
        lacksSecondFactor: await lacksSecondFactor(database, settings.secondFactorRule, state),
        setCookie: headers.getSetCookie(),
      };
    },

    async changePassword(visitor, passwords) {
      const body = { currentPassword: passwords.current, newPassword: passwords.new, revokeOtherSessions: true };
      const { headers, response } = await callInTurn(visitor, (api) =>
        api.changePassword({ body, headers: authHeaders(visitor), returnHeaders: true }),
      );
      await endPendingSteps(database, response.user.id);
      return headers.getSetCookie();
    },
  };
}

function createCalls(database: Database, settings: AuthSettings): Calls {
  const library = once(async () => (await loadAuth()).createAuth(settings).api);
  // Loading doesn't count toward the deadline: it takes seconds on a busy machine.
  const call: CallLibrary = async (run) => {
    const api = await library();
    settings.pool.assertRoom(); // the library would hide the error
    return await readResponse(database, run(api));
  };

  // Waiting for a turn doesn't count either, and holds no connection.
  const callInTurn: CallInTurn = async (visitor, run) => {
    const api = await library();
    const begin = async () => {
      settings.pool.assertRoom();
      return await run(api);
    };
    return await inHashTurn(visitor, begin, (working) => readResponse(database, working));
  };
  return { call, callInTurn };
}

function createSignUp(database: Database, settings: AuthSettings, callInTurn: CallInTurn, signIn: SignIn["signIn"]): SignIn["signUp"] {
  return async (visitor, user) => {
    const applicant = { email: user.email, isTrusted: true, invitation: visitor.invitation };
    // Checked before calling the library, which would reveal whether the address has an account.
    const { isAddressKnown } = await settings.signUp.admit(applicant);
    const signingUp = callInTurn(visitor, (api) => api.signUpEmail({ body: user, headers: authHeaders(visitor), returnHeaders: true }));
    const { headers, response } = await signingUp.catch((error) => throwReason(database, settings.signUp, applicant, error));
    if (response.token !== null) return { userId: response.user.id, setCookie: headers.getSetCookie() };
    if (!isAddressKnown) return null;
    return await signIn(visitor, { ...user, remember: true }).catch((error) => {
      // The library responds as if it had created the account. A person with an invitation for the address may learn that it is taken.
      throw error instanceof AppError && error.code === "invalid_credentials" ? new AppError("email_taken") : error;
    });
  };
}

/** The later of two concurrent sign-ups with the same address or invitation violates a constraint; the library doesn't report which. */
async function throwReason(
  database: Database,
  { admit }: Pick<SignUpPolicy, "admit">,
  applicant: Applicant,
  error: unknown,
): Promise<never> {
  if (!(error instanceof AppError)) {
    const { rowCount } = await database.query("select 1 from users where email = $1", [applicant.email.toLowerCase()]);
    if (rowCount === 1) throw new AppError("email_taken", { cause: error });
    await admit(applicant);
  }
  throw error;
}
