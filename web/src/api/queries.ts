/** API queries for sign-in and the account: cache keys and requests. */

import { queryOptions } from "@tanstack/react-query";
import { stringifySearch } from "../search.ts";
import { ApiError, call } from "./client.ts";
import type { OpenApi } from "./openapi.ts";
import type { Account, Billing, Key, Plan, Price, Session, Usage } from "./types.ts";

interface SignInMethods {
  password: boolean;
  /** Whether passkeys work at the dashboard's URL. */
  passkeys: boolean;
  /** Whether addresses are confirmed, and forgotten passwords reset, by mail. */
  mail: boolean;
  providers: { id: string; name: string }[];
  sign_up: { mode: "open" | "invite" | "closed"; domains: string[] };
}

interface Passkey {
  id: string;
  name: string;
  /** Synchronized between devices. */
  backed_up: boolean;
  created_at: string;
}

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: async ({ signal }) => (await call<{ passkeys: Passkey[] }>("/v1/account/passkeys", { signal })).passkeys,
});

export const methodsQuery = queryOptions({
  queryKey: ["methods"],
  queryFn: ({ signal }) => call<SignInMethods>("/v1/auth/methods", { signal }),
  staleTime: 5 * 60_000,
});

interface ReceivedInvitation {
  email: string | null;
  plan: string | null;
  is_first: boolean;
}

/** null if the invitation is not valid. */
export const invitationQuery = (invitation: string) =>
  queryOptions({
    queryKey: ["invitation", invitation],
    queryFn: async ({ signal }) => {
      try {
        return await call<ReceivedInvitation>("/v1/auth/invitation", { method: "POST", body: { invitation }, signal });
      } catch (error) {
        if (error instanceof ApiError && ["invitation_invalid", "invalid_parameters"].includes(error.code)) return null;
        throw error;
      }
    },
    staleTime: 5 * 60_000,
  });

export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: ({ signal }) => call<Account>("/v1/account", { signal }),
});

export const plansQuery = queryOptions({
  queryKey: ["plans"],
  queryFn: async ({ signal }) => (await call<{ plans: (Plan & { current: boolean })[] }>("/v1/account/plans", { signal })).plans,
});

export const billingQuery = queryOptions({
  queryKey: ["billing"],
  queryFn: ({ signal }) => call<Billing>("/v1/account/billing", { signal }),
});

export const pricesQuery = queryOptions({
  queryKey: ["prices"],
  queryFn: async ({ signal }) => (await call<{ prices: Price[] }>("/v1/account/billing/prices", { signal })).prices,
  staleTime: 5 * 60_000,
  retry: false,
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await call<{ sessions: Session[] }>("/v1/account/sessions", { signal })).sessions,
});

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: async ({ signal }) => (await call<{ keys: Key[] }>("/v1/account/keys", { signal })).keys,
});

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ["keys", id],
    queryFn: async ({ signal }) => (await call<{ key: Key }>(`/v1/account/keys/${id}`, { signal })).key,
  });

export const usageQuery = (keyId?: string, days = 30) =>
  queryOptions({
    queryKey: ["usage", keyId ?? "all", days],
    queryFn: ({ signal }) => call<Usage>(`/v1/account/usage${stringifySearch({ days, key_id: keyId })}`, { signal }),
  });

export const descriptionQuery = queryOptions({
  queryKey: ["openapi"],
  queryFn: ({ signal }) => call<OpenApi>("/openapi.json", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
