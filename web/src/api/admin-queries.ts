/** API queries for the administration. */

import { queryOptions } from "@tanstack/react-query";
import { call } from "./client.ts";
import { pagesQuery } from "./pages.ts";
import type { AdminBilling, AdminPlan, AdminTotals, AdminUser, Invitation, Key, ServiceState } from "./types.ts";

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
  pagesQuery<UserPage>(["admin", "users", "list", filter], "/v1/admin/users", { limit: 50, ...filter });

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
