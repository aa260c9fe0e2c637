/**
 * A strict double of the billing provider, over HTTP: it returns what the SDK's types declare, refuses what the provider refuses, and
 * records every webhook that it would send. `send` sends one, signed like the provider's.
 */

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { models, webhooks } from "@polar-sh/sdk/2026-10";
import { Webhook } from "standardwebhooks";
import type { Scope } from "../scope.ts";
import {
  type NewProduct,
  newCheckout,
  newCustomer,
  newProduct,
  newSession,
  newSubscription,
  organizationId,
  stateOf,
} from "./resources.ts";

/** A webhook; `type` is one of the provider's, or one that the SDK doesn't know. */
export interface ProviderEvent {
  id: string;
  payload: object;
}

export interface SignOptions {
  secret?: string;
  at?: Date;
  /** Sent in place of the signed body. */
  body?: string;
  without?: "webhook-id" | "webhook-timestamp" | "webhook-signature";
}

export interface BillingDouble {
  origin: string;
  /** Settings of a service that uses it. */
  settings: Record<string, string>;
  /** In the order in which they occurred. */
  events: ProviderEvent[];
  /** `METHOD path` of each API request so far. */
  requests: string[];
  /**
   * `away` closes every connection, `hangs` never responds, `nonsense` is JSON without the expected content, a number is the status of
   * every response.
   */
  fails: "away" | "hangs" | "nonsense" | number | undefined;
  addProduct(product: NewProduct): models.Product;
  /** Pays as the customer does on the checkout page; returns where the browser is sent. */
  pay(checkoutUrl: string): string;
  /** A subscription that was bought elsewhere. */
  subscribe(userId: string, product: models.Product, changes?: Partial<models.Subscription>): models.Subscription;
  /** Changes a subscription; `type` is the event's type. */
  change(subscription: models.Subscription, changes: Partial<models.Subscription>, type?: SubscriptionEvent): void;
  stateOf(userId: string): models.CustomerState | undefined;
  /** Holds back the next response: resolves once it is ready, and sends it when released. */
  holdNext(): [held: Promise<void>, release: () => void];
  /** Headers and body of a webhook. */
  sign(event: ProviderEvent, options?: SignOptions): { headers: Record<string, string>; body: string };
  send(origin: string, event: ProviderEvent, options?: SignOptions): Promise<Response>;
}

type SubscriptionEvent = Extract<webhooks.WebhookPayload["type"], `subscription.${string}`>;

const accessToken = "polar_oat_a-token-that-must-never-be-seen";
const webhookSecret = "polar_whs_a-secret-that-must-never-be-seen";

export async function startBillingDouble(t: Scope): Promise<BillingDouble> {
  const products: models.Product[] = [];
  const customers: models.CustomerIndividual[] = [];
  const subscriptions: models.Subscription[] = [];
  const checkouts: models.Checkout[] = [];
  const sessions: models.CustomerSession[] = [];
  let held: { reached: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | undefined;
  const byExternalId = (id: unknown) => customers.find(({ external_id }) => external_id === id);

  function emit(payload: Pick<webhooks.WebhookPayload, "type" | "data">): void {
    const whole = { ...payload, timestamp: new Date().toISOString(), api_version: "2026-10" } as webhooks.WebhookPayload;
    double.events.push({ id: randomUUID(), payload: whole });
  }

  function emitState(customer: models.CustomerIndividual): void {
    emit({ type: "customer.state_changed", data: stateOf(customer, subscriptions) } as webhooks.WebhookCustomerStateChangedPayload);
  }

  function addCustomer(externalId: string | null, email: string, name: string | null): models.CustomerIndividual {
    const customer = newCustomer(externalId, email, name);
    customers.push(customer);
    emit({ type: "customer.created", data: customer } as webhooks.WebhookCustomerCreatedPayload);
    return customer;
  }

  function addSubscription(customer: models.CustomerIndividual, product: models.Product, changes: Partial<models.Subscription> = {}) {
    const subscription = { ...newSubscription(customer, product), ...changes };
    subscriptions.push(subscription);
    emit({ type: "subscription.created", data: { ...subscription } } as webhooks.WebhookSubscriptionCreatedPayload);
    emit({ type: "subscription.active", data: { ...subscription } } as webhooks.WebhookSubscriptionActivePayload);
    emitState(customer);
    return subscription;
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", double.origin);
    const page = openPage(pathname);
    if (page !== undefined && request.method === "GET") return void sendPage(response, page);
    if (page !== undefined) return void response.writeHead(303, { location: act(pathname, await bodyOf(request)) }).end();
    double.requests.push(`${request.method} ${pathname}`);
    if (double.fails === "hangs") return;
    if (double.fails === "nonsense") return void response.writeHead(200, { "content-type": "application/json" }).end("null");
    if (double.fails === "away") return void request.socket.destroy();
    // Simulates a provider that echoes what it was sent: none of it may reach a log or a page.
    const told = { detail: `${request.headers.authorization}` };
    if (typeof double.fails === "number") return void sendJson(response, double.fails, told);
    if (request.headers.authorization !== `Bearer ${accessToken}`) return void sendJson(response, 401, { error: "invalid_token" });
    if (request.headers["polar-version"] !== "2026-10") return void sendJson(response, 400, { detail: "unknown version" });
    const body = request.method === "GET" ? {} : JSON.parse((await bodyOf(request)) || "{}");
    const [status, answer] = route(`${request.method} ${pathname}`, searchParams, body);
    const text = JSON.stringify(answer);
    const hold = held;
    held = undefined;
    hold?.reached.resolve();
    await hold?.released.promise;
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  });

  function route(which: string, query: URLSearchParams, body: Record<string, unknown>): [status: number, answer: object] {
    const state = /^GET \/v1\/customers\/external\/([^/]+)\/state$/.exec(which);
    if (state) {
      const customer = byExternalId(decodeURIComponent(state[1] ?? ""));
      return customer ? [200, stateOf(customer, subscriptions)] : [404, notFound()];
    }
    const update = /^PATCH \/v1\/customers\/([^/]+)$/.exec(which);
    if (update) return updateCustomer(String(update[1]), body);
    switch (which) {
      case "GET /v1/subscriptions/":
        return [200, page(listSubscriptions(query), query) satisfies models.ListResourceSubscription];
      case "GET /v1/products/":
        return [200, page(listProducts(query), query) satisfies models.ListResourceProduct];
      case "POST /v1/customers/":
        return createCustomer(body as unknown as models.CustomerIndividualCreate);
      case "POST /v1/checkouts/":
        return createCheckout(body as unknown as models.CheckoutCreate);
      case "POST /v1/customer-sessions/":
        return createSession(body as unknown as models.CustomerSessionCustomerExternalIDCreate);
      default:
        return [404, notFound()];
    }
  }

  const listSubscriptions = (query: URLSearchParams) =>
    subscriptions
      .filter(({ customer }) => !query.has("external_customer_id") || customer.external_id === query.get("external_customer_id"))
      .filter(({ status }) => query.get("active") !== "true" || status === "active" || status === "trialing");
  const listProducts = (query: URLSearchParams) =>
    products
      .filter(({ id }) => query.getAll("id").length === 0 || query.getAll("id").includes(id))
      .filter(({ is_archived }) => !query.has("is_archived") || String(is_archived) === query.get("is_archived"));

  function createCustomer({ external_id, email, name }: models.CustomerIndividualCreate): [number, object] {
    if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) return [422, invalid(["body", "email"], "value is not a valid email address", email)];
    if (byExternalId(external_id))
      return [422, invalid(["body", "external_id"], "A customer with this external ID already exists.", external_id)];
    if (customers.some((one) => one.email.toLowerCase() === email.toLowerCase()))
      return [422, invalid(["body", "email"], "A customer with this email address already exists.", email)];
    return [201, addCustomer(external_id ?? null, email, name ?? null)];
  }

  function updateCustomer(id: string, { external_id }: Record<string, unknown>): [number, object] {
    const customer = customers.find((one) => one.id === id);
    if (!customer) return [404, notFound()];
    if (external_id !== undefined && external_id !== customer.external_id)
      return [422, invalid(["body", "external_id"], "Customer external ID cannot be updated.", external_id)];
    return [200, customer];
  }

  function createCheckout({ products: ids = [], external_customer_id, success_url, return_url }: models.CheckoutCreate): [number, object] {
    const product = products.find(({ id }) => id === ids[0]);
    if (!product) return [422, invalid(["body", "products", 0], "Product does not exist.", ids[0])];
    if (product.is_archived) return [422, invalid(["body", "products", 0], "Product is archived.", ids[0])];
    for (const [name, url] of Object.entries({ success_url, return_url }))
      if (!URL.canParse(url ?? "")) return [422, invalid(["body", name], "Input should be a valid URL", url)];
    const checkout = newCheckout({
      product,
      externalId: external_customer_id ?? null,
      customer: byExternalId(external_customer_id),
      successUrl: String(success_url),
      returnUrl: return_url ?? null,
      base: double.origin,
    });
    checkouts.push(checkout);
    emit({ type: "checkout.created", data: checkout } as webhooks.WebhookCheckoutCreatedPayload);
    return [201, checkout];
  }

  function createSession({ external_customer_id, return_url }: models.CustomerSessionCustomerExternalIDCreate): [number, object] {
    const customer = byExternalId(external_customer_id);
    if (!customer) return [422, invalid(["body", "external_customer_id"], "Customer does not exist.", external_customer_id)];
    const session = newSession(customer, return_url ?? null, double.origin);
    sessions.push(session);
    return [201, session];
  }

  /** The pages that customers see; undefined for other paths. */
  function openPage(path: string): string | undefined {
    const checkout = checkouts.find(({ id }) => path === `/checkout/${id}`);
    if (checkout) return `<h1>Pay for ${checkout.product?.name}</h1><form method="post"><button>Pay</button></form>`;
    const session = sessions.find(({ token }) => path === `/portal/${token}`);
    if (!session) return undefined;
    return `<h1>Your subscription</h1><form method="post"><button name="do" value="card">Update card</button>
      <button name="do" value="cancel">Cancel</button></form><a href="${session.return_url}">Back</a>`;
  }

  function act(path: string, form: string): string {
    if (path.startsWith("/checkout/")) return double.pay(`${double.origin}${path}`);
    const session = sessions.find(({ token }) => path === `/portal/${token}`) as models.CustomerSession;
    for (const one of subscriptions.filter(({ customer_id }) => customer_id === session.customer_id)) {
      if (form === "do=cancel")
        double.change(one, { cancel_at_period_end: true, ends_at: one.current_period_end }, "subscription.canceled");
      else double.change(one, { status: "active", past_due_at: null }, "subscription.active");
    }
    return `${double.origin}${path}`;
  }

  const double: BillingDouble = {
    origin: "",
    settings: {},
    events: [],
    requests: [],
    fails: undefined,
    addProduct(product) {
      const added = newProduct(product);
      products.push(added);
      return added;
    },
    pay(checkoutUrl) {
      const checkout = checkouts.find(({ url }) => url === checkoutUrl);
      if (checkout?.status !== "open") throw new Error("the checkout is not open");
      const customer =
        byExternalId(checkout.external_customer_id) ?? addCustomer(checkout.external_customer_id, `${randomUUID()}@example.com`, null);
      checkout.status = "succeeded";
      emit({ type: "checkout.updated", data: checkout } as webhooks.WebhookCheckoutUpdatedPayload);
      addSubscription(customer, products.find(({ id }) => id === checkout.product_id) as models.Product);
      return checkout.success_url;
    },
    subscribe: (userId, product, changes) =>
      addSubscription(byExternalId(userId) ?? addCustomer(userId, `${userId}@example.com`, null), product, changes),
    change(subscription, changes, type = "subscription.updated") {
      Object.assign(subscription, changes, { modified_at: new Date().toISOString() });
      emit({ type, data: { ...subscription } } as webhooks.WebhookSubscriptionUpdatedPayload);
      if (type !== "subscription.updated")
        emit({ type: "subscription.updated", data: { ...subscription } } as webhooks.WebhookSubscriptionUpdatedPayload);
      emitState(subscription.customer as models.CustomerIndividual);
    },
    stateOf(userId) {
      const customer = byExternalId(userId);
      return customer && stateOf(customer, subscriptions);
    },
    holdNext() {
      held = { reached: Promise.withResolvers(), released: Promise.withResolvers() };
      return [held.reached.promise, held.released.resolve];
    },
    sign({ id, payload }, { secret = webhookSecret, at = new Date(), body, without } = {}) {
      const text = JSON.stringify(payload);
      const headers: Record<string, string> = {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        // The provider signs with the bytes of the whole secret.
        "webhook-signature": new Webhook(Buffer.from(secret).toString("base64")).sign(id, at, text),
      };
      if (without) delete headers[without];
      return { headers, body: body ?? text };
    },
    send(origin, event, options) {
      const { headers, body } = double.sign(event, options);
      return fetch(`${origin}/v1/billing/webhook`, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body });
    },
  };

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  double.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  double.settings = {
    BILLING_ACCESS_TOKEN: accessToken,
    BILLING_WEBHOOK_SECRET: webhookSecret,
    BILLING_BASE_URL: double.origin,
  };
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return double;
}

function page<T>(items: T[], query: URLSearchParams): { items: T[]; pagination: models.Pagination } {
  const limit = Number(query.get("limit"));
  const first = (Number(query.get("page")) - 1) * limit;
  const pagination = { total_count: items.length, max_page: Math.ceil(items.length / limit) };
  return { items: items.slice(first, first + limit), pagination };
}

const notFound = () => ({ error: "ResourceNotFound", detail: "Not found" }) satisfies models.ResourceNotFound;

function invalid(loc: (string | number)[], msg: string, input: unknown): models.HTTPValidationError {
  return { detail: [{ loc, msg, type: "value_error", input }] };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

function sendJson(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

function sendPage(response: ServerResponse, content: string): void {
  response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><html lang="en"><title>Provider</title>${content}</html>`);
}

/** An event of a type that the SDK doesn't know. */
export function unknownEvent(userId: string): ProviderEvent {
  return {
    id: randomUUID(),
    payload: {
      type: "planet.aligned",
      timestamp: new Date().toISOString(),
      data: { external_customer_id: userId, organization_id: organizationId },
    },
  };
}
