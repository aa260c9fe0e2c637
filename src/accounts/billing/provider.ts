/** Calls the billing provider, Polar, through its SDK: every call has a deadline, and none is retried. */

import type { models, Polar } from "@polar-sh/sdk/2026-10";
import { AppError } from "../../shared/errors.ts";
import { once } from "../../shared/once.ts";

export interface ProviderSettings {
  accessToken: string;
  environment: "sandbox" | "production";
  /** Overrides the environment's base URL, unless empty. */
  baseUrl: string;
}

/**
 * Customers are identified by our account ids. Unless stated otherwise, methods throw an `AppError` `unavailable` if the provider is
 * unreachable or returns an error.
 */
export interface BillingProvider {
  /** Returns null if the provider doesn't know the customer. */
  stateOf(userId: string): Promise<models.CustomerState | null>;
  /** The 100 newest subscriptions, in any status. */
  subscriptionsOf(userId: string): Promise<models.Subscription[]>;
  /** Yields the account ids of all active subscribers, a page at a time. */
  subscribers(): AsyncIterable<string[]>;
  products(ids: string[]): Promise<models.Product[]>;
  /** Returns false if the provider rejects the customer. */
  createCustomer(customer: { userId: string; email: string; name: string }): Promise<boolean>;
  /** Returns the URL of the checkout page, or null if the product can't be bought. */
  createCheckout(checkout: { userId: string; productId: string; successUrl: string; returnUrl: string }): Promise<string | null>;
  /** Returns the URL of the customer portal, or null if the provider doesn't know the customer. */
  createPortal(userId: string, returnUrl: string): Promise<string | null>;
}

const timeoutSeconds = 5;
const retryAfterSeconds = 60;
const pageSize = 100;

export function createBillingProvider({ accessToken, environment, baseUrl }: ProviderSettings): BillingProvider {
  /** The SDK is loaded on the first call. */
  const client = once(async () => {
    const { createPolar } = await import("@polar-sh/sdk/2026-10");
    const override = baseUrl === "" ? {} : { baseUrl: baseUrl.replace(/\/$/, "") };
    return createPolar({ accessToken, environment, timeout: timeoutSeconds, ...override });
  });
  /** @param expected HTTP status for which the call resolves to null. */
  async function call<T>(run: (polar: Polar) => Promise<T>, expected?: number): Promise<T | null> {
    try {
      return await run(await client());
    } catch (error) {
      if (expected !== undefined && statusOf(error) === expected && (expected !== 404 || isNotFound(error))) return null;
      throw providerUnavailable(error);
    }
  }
  const must = async <T>(run: (polar: Polar) => Promise<T>) => (await call(run)) as T;

  return {
    stateOf: (userId) =>
      call(async ({ customers }) => {
        const state = await customers.getStateExternal(userId);
        if (!Array.isArray(state?.active_subscriptions)) throw new TypeError("not a customer's state");
        return state;
      }, 404),
    subscriptionsOf: async (userId) =>
      (await must(({ subscriptions }) => subscriptions.list({ external_customer_id: userId, limit: pageSize }))).items,
    async *subscribers() {
      for (let page = 1, last = 1; page <= last; page++) {
        const { items, pagination } = await must(({ subscriptions }) => subscriptions.list({ active: true, page, limit: pageSize }));
        yield items.flatMap(({ customer }) => customer.external_id ?? []);
        last = pagination.max_page;
      }
    },
    products: async (ids) => (await must(({ products }) => products.list({ id: ids, is_archived: false, limit: pageSize }))).items,
    createCustomer: async ({ userId, email, name }) =>
      (await call(({ customers }) => customers.create({ type: "individual", external_id: userId, email, name }), 422)) !== null,
    createCheckout: async ({ userId, productId, successUrl, returnUrl }) => {
      const checkout = { products: [productId], external_customer_id: userId, success_url: successUrl, return_url: returnUrl };
      return (await call(({ checkouts }) => checkouts.create(checkout), 422))?.url ?? null;
    },
    createPortal: async (userId, returnUrl) => {
      const session = { external_customer_id: userId, return_url: returnUrl };
      return (await call(({ customerSessions }) => customerSessions.create(session), 422))?.customer_portal_url ?? null;
    },
  };
}

function statusOf(error: unknown): unknown {
  return (error as { statusCode?: unknown }).statusCode;
}

/** A 404 from a proxy on the way to the provider says nothing about the customer. */
function isNotFound(error: unknown): boolean {
  return (error as { error?: { error?: unknown } }).error?.error === "ResourceNotFound";
}

/** The cause is logged, so it contains only the error's name and the response's status: the body may contain anything. */
function providerUnavailable(error: unknown): AppError {
  const status = statusOf(error);
  const reason = status === 401 || status === 403 ? "rejected BILLING_ACCESS_TOKEN" : "failed";
  return new AppError("unavailable", {
    message: "The billing provider is unavailable. Your plan is unchanged; try again in a few minutes.",
    retryAfterSeconds,
    cause: new Error(`the billing provider ${reason}: ${(error as Error).name}${status === undefined ? "" : ` ${status}`}`),
  });
}
