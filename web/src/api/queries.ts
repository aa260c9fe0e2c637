/** All API queries of the pages: cache keys and requests. */

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { stringifySearch } from "../search.ts";
import { ApiError, call } from "./client.ts";
import type { OpenApi } from "./openapi.ts";
import type {
  Account,
  AdminAuditEntry,
  AdminBilling,
  AdminPlan,
  AdminTotals,
  AdminUser,
  AuditEntry,
  Billing,
  Explanation,
  HistoryEntry,
  Invitation,
  Key,
  Plan,
  Price,
  ServiceState,
  Session,
  Usage,
} from "./types.ts";

interface SignInMethods {
  password: boolean;
  /** Whether the dashboard's URL allows passkeys. */
  passkeys: boolean;
  /** Whether addresses are confirmed, and forgotten passwords reset, by mail. */
  mail: boolean;
  providers: { id: string; name: string }[];
  sign_up: { mode: "open" | "invite" | "closed"; domains: string[] };
}

interface Passkey {
  id: string;
  name: string;
  /** Synchronised between devices. */
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

/** null: it is not valid. */
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

export interface ScreenshotFilter {
  status?: string | undefined;
  key_id?: string | undefined;
  url?: string | undefined;
  format?: string | undefined;
  verdict?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

interface ScreenshotPage {
  screenshots: HistoryEntry[];
  next_cursor: string | null;
}

export const screenshotsQuery = (filter: ScreenshotFilter) =>
  infiniteQueryOptions({
    queryKey: ["screenshots", "list", filter],
    queryFn: ({ signal, pageParam }) =>
      call<ScreenshotPage>(`/v1/account/screenshots${stringifySearch({ limit: 24, cursor: pageParam, ...filter })}`, { signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });

export const screenshotCountQuery = (filter: ScreenshotFilter) =>
  queryOptions({
    queryKey: ["screenshots", "count", filter],
    queryFn: ({ signal }) =>
      call<{ count: number; is_complete: boolean }>(`/v1/account/screenshots/count${stringifySearch({ ...filter })}`, { signal }),
  });

/** For the search. */
export const foundScreenshotsQuery = (url: string) =>
  queryOptions({
    queryKey: ["screenshots", "found", url],
    queryFn: async ({ signal }) =>
      (await call<ScreenshotPage>(`/v1/account/screenshots${stringifySearch({ limit: 6, url })}`, { signal })).screenshots,
  });

export const latestQuery = queryOptions({
  queryKey: ["screenshots", "latest"],
  queryFn: async ({ signal }) => (await call<ScreenshotPage>("/v1/account/screenshots?limit=6", { signal })).screenshots,
});

/** A screenshot with what its page shows besides. */
export interface StoredScreenshot extends HistoryEntry {
  options: Record<string, unknown>;
  explanation: Explanation | null;
  link: string | null;
  newer_id: string | null;
  older_id: string | null;
  target_status: number | null;
  /** After redirects. */
  final_url: string | null;
  warnings: string[];
  /** Milliseconds of each phase. */
  timings: { queue: number; navigate: number; wait: number; shoot: number } | null;
}

/** @param filter which screenshots are its neighbours. */
export const screenshotQuery = (id: string, filter: ScreenshotFilter) =>
  queryOptions({
    queryKey: ["screenshots", id, filter],
    queryFn: async ({ signal }) =>
      (await call<{ screenshot: StoredScreenshot }>(`/v1/account/screenshots/${id}${stringifySearch({ ...filter })}`, { signal }))
        .screenshot,
  });

export const descriptionQuery = queryOptions({
  queryKey: ["openapi"],
  queryFn: ({ signal }) => call<OpenApi>("/openapi.json", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export interface AuditFilter {
  kind?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** For administrators. */
  user_id?: string | undefined;
}

const auditQueryOf = <Entry>(key: string[], path: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...key, filter],
    queryFn: ({ signal, pageParam }) =>
      call<{ entries: Entry[]; next_cursor: string | null }>(`${path}${stringifySearch({ limit: 50, cursor: pageParam, ...filter })}`, {
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });
export const auditQuery = (filter: AuditFilter) => auditQueryOf<AuditEntry>(["audit"], "/v1/account/audit", filter);
export const adminAuditQuery = (filter: AuditFilter) => auditQueryOf<AdminAuditEntry>(["admin", "audit"], "/v1/admin/audit", filter);

export const adminTotalsQuery = queryOptions({
  queryKey: ["admin", "totals"],
  queryFn: ({ signal }) => call<AdminTotals>("/v1/admin/totals?days=30", { signal }),
});

export const serviceStateQuery = queryOptions({
  queryKey: ["admin", "state"],
  queryFn: ({ signal }) => call<ServiceState>("/v1/admin/state", { signal }),
  refetchInterval: 10_000,
});

export const adminInvitationsQuery = queryOptions({
  queryKey: ["admin", "invitations"],
  queryFn: async ({ signal }) => (await call<{ invitations: Invitation[] }>("/v1/admin/invitations", { signal })).invitations,
});

export const adminBillingQuery = queryOptions({
  queryKey: ["admin", "billing"],
  queryFn: ({ signal }) => call<AdminBilling>("/v1/admin/billing", { signal }),
});

export const adminPlansQuery = queryOptions({
  queryKey: ["admin", "plans"],
  queryFn: async ({ signal }) => (await call<{ plans: AdminPlan[] }>("/v1/admin/plans", { signal })).plans,
});

export interface UserFilter {
  search?: string | undefined;
  plan_id?: string | undefined;
  use?: string | undefined;
  sort?: string | undefined;
}

interface UserPage {
  users: AdminUser[];
  next_cursor: string | null;
}

export const adminUsersQuery = (filter: UserFilter) =>
  infiniteQueryOptions({
    queryKey: ["admin", "users", "list", filter],
    queryFn: ({ signal, pageParam }) =>
      call<UserPage>(`/v1/admin/users${stringifySearch({ limit: 50, cursor: pageParam, ...filter })}`, { signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });

export const adminUserQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "users", id],
    queryFn: async ({ signal }) => (await call<{ user: AdminUser }>(`/v1/admin/users/${id}`, { signal })).user,
  });

export const adminUserKeysQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "users", id, "keys"],
    queryFn: async ({ signal }) => (await call<{ keys: Key[] }>(`/v1/admin/users/${id}/keys`, { signal })).keys,
  });
