/**
 * All routes of the dashboard, the data they load, and who may open them. Pages wait for fresh data, to avoid content that changes after
 * it is shown; long lists come from the cache, so that going back keeps the scroll position.
 */

import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, notFound, Outlet, redirect } from "@tanstack/react-router";
import { AdminLayout } from "./admin/admin-layout.tsx";
import { AdminPage } from "./admin/admin-page.tsx";
import { AdminAuditPage } from "./admin/audit-page.tsx";
import { InvitationsPage } from "./admin/invitations-page.tsx";
import { PlansPage } from "./admin/plans-page.tsx";
import { readUserFilter } from "./admin/user-filters.tsx";
import { AdminUserPage } from "./admin/user-page.tsx";
import { UsersPage } from "./admin/users-page.tsx";
import {
  adminBillingQuery,
  adminInvitationsQuery,
  adminPlansQuery,
  adminTotalsQuery,
  adminUserKeysQuery,
  adminUserQuery,
  adminUsersQuery,
  serviceStateQuery,
} from "./api/admin-queries.ts";
import { adminAuditQuery, auditQuery } from "./api/audit-queries.ts";
import { type BatchFilter, batchCapturesQuery, batchesQuery, batchQuery } from "./api/batch-queries.ts";
import { ApiError } from "./api/client.ts";
import { destinationsQuery } from "./api/destination-queries.ts";
import { pageSessionsQuery } from "./api/page-session-queries.ts";
import {
  accountQuery,
  billingQuery,
  descriptionQuery,
  invitationQuery,
  keyQuery,
  keysQuery,
  methodsQuery,
  passkeysQuery,
  plansQuery,
  sessionsQuery,
  usageQuery,
} from "./api/queries.ts";
import { latestQuery, type ScreenshotFilter, screenshotCountQuery, screenshotQuery, screenshotsQuery } from "./api/screenshot-queries.ts";
import { type RunFilter, runQuery, runsQuery, type WatchFilter, watchesQuery, watchQuery } from "./api/watch-queries.ts";
import { type DeliveryFilter, deliveriesQuery, deliveryQuery, webhooksQuery } from "./api/webhook-queries.ts";
import { readAuditFilter } from "./audit/audit-filters.tsx";
import { BatchPage } from "./batches/batch-page.tsx";
import { BatchesPage } from "./batches/batches-page.tsx";
import { NewBatchPage } from "./batches/new/page.tsx";
import { DestinationsPage } from "./destinations/destinations-page.tsx";
import { KeyPage } from "./keys/key-page.tsx";
import { KeysPage } from "./keys/keys-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { PageSessionsPage } from "./page-sessions/page-sessions-page.tsx";
import { PlanPage } from "./plan/plan-page.tsx";
import { PlaygroundPage } from "./playground/playground-page.tsx";
import { readFilter } from "./screenshots/filter.ts";
import { ScreenshotPage } from "./screenshots/screenshot-page.tsx";
import { ScreenshotsPage } from "./screenshots/screenshots-page.tsx";
import { parseSearch, pickTexts, type Search, stringifySearch } from "./search.ts";
import { ActivityPage } from "./settings/activity-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";
import { ReferencePage } from "./shell/reference-page.tsx";
import { Shell } from "./shell/shell.tsx";
import { ConfirmEmailPage } from "./sign-in/confirm-email-page.tsx";
import { ForgotPasswordPage } from "./sign-in/forgot-password-page.tsx";
import { ResetPasswordPage } from "./sign-in/reset-password-page.tsx";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { SignUpPage } from "./sign-in/sign-up-page.tsx";
import { Failed, Loading, NotFound, StandaloneFailed, StandaloneNotFound } from "./ui/states.tsx";
import { EditWatchPage } from "./watches/form/edit-page.tsx";
import { NewWatchPage } from "./watches/form/new-page.tsx";
import { RunPage } from "./watches/runs/page.tsx";
import { WatchPage } from "./watches/watch-page.tsx";
import { WatchesPage } from "./watches/watches-page.tsx";
import { DeliveryPage } from "./webhooks/delivery-page.tsx";
import { WebhooksPage } from "./webhooks/webhooks-page.tsx";

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  errorComponent: StandaloneFailed,
  notFoundComponent: StandaloneNotFound,
});

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Accepts only paths on this site: anything else could be an open redirect. */
const ownPath = (value: unknown): string | undefined => (/^\/(?![/\\])/.test(text(value) ?? "") ? text(value) : undefined);

const signedOut = createRoute({
  getParentRoute: () => root,
  id: "signed-out",
  errorComponent: StandaloneFailed,
  validateSearch: (search: Search): { to?: string | undefined; error?: string | undefined } => ({
    to: ownPath(search.to),
    error: text(search.error),
  }),
  loader: ({ context: { queries } }) => queries.ensureQueryData(methodsQuery),
});
const signIn = createRoute({ getParentRoute: () => signedOut, path: "/sign-in", component: SignInPage });
const signUp = createRoute({
  getParentRoute: () => signedOut,
  path: "/sign-up",
  component: SignUpPage,
  validateSearch: (search: Search): { invitation?: string | undefined } => ({ invitation: text(search.invitation) }),
  loaderDeps: ({ search: { invitation } }) => ({ invitation }),
  loader: async ({ context: { queries }, deps: { invitation } }) => {
    if (invitation !== undefined) await queries.ensureQueryData(invitationQuery(invitation));
  },
});
const forgotPassword = createRoute({ getParentRoute: () => signedOut, path: "/forgot-password", component: ForgotPasswordPage });
/** The token from a mailed link. */
const withToken = (search: Search): { token?: string | undefined } => ({ token: text(search.token) });
const resetPassword = createRoute({
  getParentRoute: () => signedOut,
  path: "/reset-password",
  component: ResetPasswordPage,
  validateSearch: withToken,
});
const confirmEmail = createRoute({
  getParentRoute: () => signedOut,
  path: "/confirm-email",
  component: ConfirmEmailPage,
  validateSearch: withToken,
});

const account = createRoute({
  getParentRoute: () => root,
  id: "account",
  component: Shell,
  errorComponent: StandaloneFailed,
  beforeLoad: async ({ context: { queries }, location }) => {
    try {
      const { second_factor_required: isRequired } = await queries.ensureQueryData(accountQuery);
      if (isRequired && location.pathname !== "/settings") throw redirect({ to: "/settings" });
    } catch (error) {
      const isSignedOut = error instanceof ApiError && error.code === "not_signed_in";
      if (isSignedOut) throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { to: location.href } });
      throw error;
    }
  },
});

const overview = createRoute({
  getParentRoute: () => account,
  path: "/",
  component: OverviewPage,
  loader: ({ context: { queries } }) =>
    Promise.all([
      queries.fetchQuery(accountQuery),
      queries.fetchQuery(usageQuery()),
      queries.fetchQuery(latestQuery),
      queries.fetchQuery(keysQuery),
      queries.fetchQuery(webhooksQuery),
    ]),
});
const playground = createRoute({
  getParentRoute: () => account,
  path: "/playground",
  component: PlaygroundPage,
  loader: ({ context: { queries } }) => Promise.all([queries.fetchQuery(descriptionQuery), queries.fetchQuery(keysQuery)]),
});
const screenshots = createRoute({
  getParentRoute: () => account,
  path: "/screenshots",
  component: ScreenshotsPage,
  validateSearch: (search: Search): ScreenshotFilter & { view?: "list" } => ({
    ...readFilter(search),
    ...(search.view === "list" ? { view: "list" } : {}),
  }),
  loaderDeps: ({ search }) => readFilter(search),
  loader: ({ context: { queries }, deps }) =>
    Promise.all([
      queries.ensureInfiniteQueryData(screenshotsQuery(deps)),
      queries.fetchQuery(screenshotCountQuery(deps)),
      queries.fetchQuery(keysQuery),
    ]),
});
const screenshot = createRoute({
  getParentRoute: () => account,
  path: "/screenshots/$id",
  component: ScreenshotPage,
  validateSearch: readFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    Promise.all([queries.fetchQuery(screenshotQuery(params.id, deps)), queries.fetchQuery(descriptionQuery)]),
});
const reference = createRoute({ getParentRoute: () => account, path: "/reference", component: ReferencePage });
/** Inside the layout, so that the way back to other pages stays visible. */
const nowhere = createRoute({ getParentRoute: () => account, path: "$", component: NotFound });
const newBatch = createRoute({
  getParentRoute: () => account,
  path: "/batches/new",
  component: NewBatchPage,
  loader: ({ context: { queries } }) => queries.fetchQuery(descriptionQuery),
});
/** Filters for lists of batches and of captures. */
const withStatus = (search: Search): BatchFilter => pickTexts(search, ["status"]);
const batches = createRoute({
  getParentRoute: () => account,
  path: "/batches",
  component: BatchesPage,
  validateSearch: withStatus,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) => queries.fetchInfiniteQuery(batchesQuery(deps)),
});
const batch = createRoute({
  getParentRoute: () => account,
  path: "/batches/$id",
  component: BatchPage,
  validateSearch: withStatus,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    Promise.all([queries.fetchQuery(batchQuery(params.id)), queries.fetchInfiniteQuery(batchCapturesQuery(params.id, deps))]),
});
const watches = createRoute({
  getParentRoute: () => account,
  path: "/watches",
  component: WatchesPage,
  validateSearch: (search: Search): WatchFilter => pickTexts(search, ["state"]),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) => queries.fetchInfiniteQuery(watchesQuery(deps)),
});
const newWatch = createRoute({
  getParentRoute: () => account,
  path: "/watches/new",
  component: NewWatchPage,
  validateSearch: (search: Search): { from?: string | undefined } => ({ from: text(search.from) }),
  loaderDeps: ({ search: { from } }) => ({ from }),
  loader: ({ context: { queries }, deps: { from } }) =>
    Promise.all([queries.fetchQuery(descriptionQuery), from && queries.fetchQuery(screenshotQuery(from, {}))]),
});
const watch = createRoute({
  getParentRoute: () => account,
  path: "/watches/$id",
  component: WatchPage,
  validateSearch: (search: Search): RunFilter => pickTexts(search, ["status"]),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { id }, deps }) =>
    Promise.all([queries.fetchQuery(watchQuery(id)), queries.fetchInfiniteQuery(runsQuery(id, deps))]),
});
const editWatch = createRoute({
  getParentRoute: () => account,
  path: "/watches/$id/edit",
  component: EditWatchPage,
  loader: ({ context: { queries }, params: { id } }) => queries.fetchQuery(watchQuery(id)),
});
/** How a run is shown; side by side if undefined. */
type RunView = "slider" | "overlay" | "regions";
const run = createRoute({
  getParentRoute: () => account,
  path: "/watches/$id/runs/$run",
  component: RunPage,
  validateSearch: ({ view }: Search): { view?: RunView | undefined } =>
    ["slider", "overlay", "regions"].includes(String(view)) ? { view: view as RunView } : {},
  loader: async ({ context: { queries }, params: { id, run: runId } }) => {
    const [shown] = await Promise.all([queries.fetchQuery(runQuery(id, runId)), queries.fetchQuery(watchQuery(id))]);
    if (shown.compared_with_run_id !== null) await queries.fetchQuery(runQuery(id, shown.compared_with_run_id));
  },
});
const pageSessions = createRoute({
  getParentRoute: () => account,
  path: "/sessions",
  component: PageSessionsPage,
  loader: ({ context: { queries } }) => queries.fetchInfiniteQuery(pageSessionsQuery),
});
const keys = createRoute({
  getParentRoute: () => account,
  path: "/keys",
  component: KeysPage,
  loader: ({ context: { queries } }) =>
    Promise.all([queries.fetchQuery(accountQuery), queries.fetchQuery(keysQuery), queries.fetchQuery(usageQuery())]),
});
const key = createRoute({
  getParentRoute: () => account,
  path: "/keys/$id",
  component: KeyPage,
  loader: ({ context: { queries }, params }) =>
    Promise.all([queries.fetchQuery(keyQuery(params.id)), queries.fetchQuery(usageQuery(params.id))]),
});
const destinations = createRoute({
  getParentRoute: () => account,
  path: "/destinations",
  component: DestinationsPage,
  loader: ({ context: { queries } }) => queries.fetchQuery(destinationsQuery),
});
const webhooks = createRoute({
  getParentRoute: () => account,
  path: "/webhooks",
  component: WebhooksPage,
  validateSearch: (search: Search): DeliveryFilter => pickTexts(search, ["state"]),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) =>
    Promise.all([queries.fetchQuery(webhooksQuery), queries.fetchInfiniteQuery(deliveriesQuery(deps))]),
});
const delivery = createRoute({
  getParentRoute: () => account,
  path: "/webhooks/$id",
  component: DeliveryPage,
  loader: ({ context: { queries }, params }) => queries.fetchQuery(deliveryQuery(params.id)),
});
const plan = createRoute({
  getParentRoute: () => account,
  path: "/plan",
  component: PlanPage,
  validateSearch: (search: Search): { checkout?: string | undefined; from?: string | undefined } => ({
    checkout: text(search.checkout),
    from: text(search.from),
  }),
  loader: ({ context: { queries } }) =>
    Promise.all([queries.fetchQuery(accountQuery), queries.fetchQuery(plansQuery), queries.fetchQuery(billingQuery)]),
});
const settings = createRoute({
  getParentRoute: () => account,
  path: "/settings",
  component: SettingsPage,
  loader: ({ context: { queries } }) =>
    Promise.all([queries.fetchQuery(sessionsQuery), queries.fetchQuery(passkeysQuery), queries.ensureQueryData(methodsQuery)]),
});
const activity = createRoute({
  getParentRoute: () => account,
  path: "/settings/activity",
  component: ActivityPage,
  validateSearch: readAuditFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) => queries.fetchInfiniteQuery(auditQuery(deps)),
});

const admin = createRoute({
  getParentRoute: () => account,
  id: "admin",
  component: AdminLayout,
  beforeLoad: async ({ context: { queries } }) => {
    const { user } = await queries.ensureQueryData(accountQuery);
    if (user.role !== "admin") throw notFound();
  },
});
const adminOverview = createRoute({
  getParentRoute: () => admin,
  path: "/admin",
  component: AdminPage,
  loader: ({ context: { queries } }) =>
    Promise.all([queries.fetchQuery(adminTotalsQuery), queries.fetchQuery(serviceStateQuery), queries.fetchQuery(adminBillingQuery)]),
});
const adminUsers = createRoute({
  getParentRoute: () => admin,
  path: "/admin/users",
  component: UsersPage,
  validateSearch: readUserFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) =>
    Promise.all([queries.ensureInfiniteQueryData(adminUsersQuery(deps)), queries.fetchQuery(adminPlansQuery)]),
});
const adminPlans = createRoute({
  getParentRoute: () => admin,
  path: "/admin/plans",
  component: PlansPage,
  loader: ({ context: { queries } }) => queries.fetchQuery(adminPlansQuery),
});
const adminInvitations = createRoute({
  getParentRoute: () => admin,
  path: "/admin/invitations",
  component: InvitationsPage,
  loader: ({ context: { queries } }) =>
    Promise.all([queries.fetchQuery(adminInvitationsQuery), queries.fetchQuery(adminPlansQuery), queries.fetchQuery(methodsQuery)]),
});
const adminActivity = createRoute({
  getParentRoute: () => admin,
  path: "/admin/activity",
  component: AdminAuditPage,
  validateSearch: readAuditFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) => queries.fetchInfiniteQuery(adminAuditQuery(deps)),
});
const adminUser = createRoute({
  getParentRoute: () => admin,
  path: "/admin/users/$id",
  component: AdminUserPage,
  loader: ({ context: { queries }, params }) =>
    Promise.all([
      queries.fetchQuery(adminUserQuery(params.id)),
      queries.fetchQuery(adminUserKeysQuery(params.id)),
      queries.fetchQuery(adminPlansQuery),
    ]),
});

const routeTree = root.addChildren([
  signedOut.addChildren([signIn, signUp, forgotPassword, resetPassword, confirmEmail]),
  account.addChildren([
    overview,
    playground,
    screenshots,
    screenshot,
    batches,
    newBatch,
    batch,
    watches,
    newWatch,
    watch,
    editWatch,
    run,
    pageSessions,
    keys,
    key,
    destinations,
    webhooks,
    delivery,
    plan,
    settings,
    activity,
    reference,
    nowhere,
    admin.addChildren([adminOverview, adminUsers, adminUser, adminPlans, adminInvitations, adminActivity]),
  ]),
]);

export function createDashboardRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0, // the query client manages staleness
    defaultPendingMs: 300,
    defaultPendingComponent: Loading,
    defaultErrorComponent: Failed,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
}
