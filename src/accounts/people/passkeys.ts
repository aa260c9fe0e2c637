/** Sign-in with passkeys, and their registration. */

import { isIP } from "node:net";
import type { Database, Queries } from "../../database/database.ts";
import { AppError, existing } from "../../shared/errors.ts";
import { withoutAttestation } from "./attestation.ts";
import { record } from "./audit.ts";
import { assertPasskeyStep, authHeaders, type NewSession, type Visitor } from "./auth-calls.ts";
import type { CallLibrary } from "./recovery.ts";

/** Arguments and results of the browser's `navigator.credentials`, as JSON. */
export type CredentialJson = Record<string, unknown>;

export interface PasskeySignIn {
  /** False where browsers don't offer passkeys: on pages without TLS, except on localhost, and for IP addresses. */
  hasPasskeys: boolean;
  /** The cookie stores the challenge for five minutes. @throws {AppError} `not_possible` if `hasPasskeys` is false. */
  passkeyChallenge(visitor: Visitor): Promise<{ options: CredentialJson; setCookie: string[] }>;
  /** @throws {AppError} `invalid_credentials`, `account_disabled`, `sign_in_expired`. */
  signInWithPasskey(visitor: Visitor, response: CredentialJson): Promise<NewSession>;
  /** @throws {AppError} `not_possible` if `hasPasskeys` is false. */
  newPasskeyChallenge(visitor: Visitor, email: string): Promise<{ options: CredentialJson; setCookie: string[] }>;
  /** @throws {AppError} `sign_in_expired`, `not_possible`. */
  addPasskey(visitor: Visitor, name: string, response: CredentialJson): Promise<void>;
}

/** @param publicUrl `WEB_PUBLIC_URL`. */
export function createPasskeySignIn(call: CallLibrary, publicUrl: string): PasskeySignIn {
  const { protocol, hostname } = new URL(publicUrl);
  const hasPasskeys = (protocol === "https:" || hostname === "localhost") && isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
  const assertPossible = () => {
    if (!hasPasskeys) throw new AppError("not_possible", { message: "Passkeys require the dashboard to have a host name and use https." });
  };
  return {
    hasPasskeys,
    async passkeyChallenge(visitor) {
      assertPossible();
      const { headers, response } = await call((api) =>
        // With the session cookie, the library would offer only that user's passkeys.
        api.generatePasskeyAuthenticationOptions({ headers: authHeaders({ ...visitor, cookie: undefined }), returnHeaders: true }),
      );
      return { options: { ...response, userVerification: "required" }, setCookie: headers.getSetCookie() };
    },
    async signInWithPasskey(visitor, response) {
      assertPasskeyStep(visitor);
      const { headers, response: entered } = await call((api) =>
        // The library validates the response, except that an id that isn't text would make an invalid query.
        api.verifyPasskeyAuthentication({
          body: { response: { ...response, id: typeof response.id === "string" ? response.id : "" } as never },
          headers: authHeaders(visitor),
          returnHeaders: true,
        }),
      );
      return { userId: entered.user.id, setCookie: headers.getSetCookie() };
    },
    async newPasskeyChallenge(visitor, email) {
      assertPossible();
      const { headers, response } = await call((api) =>
        api.generatePasskeyRegistrationOptions({ query: { name: email }, headers: authHeaders(visitor), returnHeaders: true }),
      );
      return { options: { ...response }, setCookie: headers.getSetCookie() };
    },
    async addPasskey(visitor, name, response) {
      assertPasskeyStep(visitor);
      const answer = response.response as CredentialJson | null | undefined;
      const plain = { ...response, response: { ...answer, attestationObject: await withoutAttestation(answer?.attestationObject) } };
      await call((api) => api.verifyPasskeyRegistration({ body: { name, response: plain }, headers: authHeaders(visitor) }));
    },
  };
}

export interface Passkey {
  id: string;
  name: string;
  /** Whether the passkey is synced, and so survives the loss of the device. */
  backedUp: boolean;
  createdAt: Date;
}

const countMax = 20;

/** Oldest first. */
export async function listPasskeys(database: Database, userId: string): Promise<Passkey[]> {
  const { rows } = await database.query<Passkey>(
    `select id, coalesce(name, 'Passkey') as name, backed_up as "backedUp", created_at as "createdAt"
       from passkeys where user_id = $1 order by created_at, id`,
    [userId],
  );
  return rows;
}

/** @throws {AppError} `not_possible` if the user already has twenty. */
export async function assertRoomForPasskey(queries: Queries, userId: string): Promise<void> {
  const { rows } = await queries.query<{ count: number }>("select count(*)::integer as count from passkeys where user_id = $1", [userId]);
  if ((rows[0]?.count ?? 0) >= countMax)
    throw new AppError("not_possible", { message: `An account can have at most ${countMax} passkeys: remove one first.` });
}

/**
 * Runs `add`, in which the sign-in library adds a passkey, while no other passkey of the user can be added.
 * @throws {AppError} `not_possible` if the user already has twenty.
 */
export async function addWithinLimit(database: Database, userId: string, add: () => Promise<void>): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query("select from users where id = $1 for no key update", [userId]);
    await assertRoomForPasskey(transaction, userId);
    await add();
  });
}

/** @throws {AppError} `not_found`. */
export async function removePasskey(database: Database, userId: string, id: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ name: string | null }>(
      "delete from passkeys where id = $1 and user_id = $2 returning name",
      [id, userId],
    );
    const { name } = existing(rows[0]);
    await record(transaction, { action: "sign_in.passkey_removed", accountId: userId, subject: name ?? "Passkey" });
  });
}
