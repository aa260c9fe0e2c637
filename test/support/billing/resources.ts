/** The billing provider's objects, with every field that its SDK declares. */

import { randomUUID } from "node:crypto";
import type { models } from "@polar-sh/sdk/2026-10";

export const organizationId = randomUUID();

const stamps = () => ({ created_at: new Date().toISOString(), modified_at: null });

export interface NewProduct {
  name: string;
  /** In cents. */
  amount: number;
  trialDays?: number;
}

export function newProduct({ name, amount, trialDays }: NewProduct): models.Product {
  const id = randomUUID();
  return {
    id,
    ...stamps(),
    name,
    description: null,
    visibility: "public",
    trial_interval: trialDays ? "day" : null,
    trial_interval_count: trialDays ?? null,
    recurring_interval: "month",
    recurring_interval_count: 1,
    meter_interval: null,
    meter_interval_count: null,
    is_recurring: true,
    is_archived: false,
    organization_id: organizationId,
    metadata: {},
    is_deletable: false,
    prices: [
      {
        id: randomUUID(),
        ...stamps(),
        source: "catalog",
        amount_type: "fixed",
        price_currency: "usd",
        price_amount: amount,
        tax_behavior: null,
        is_archived: false,
        product_id: id,
      },
    ],
    benefits: [],
    medias: [],
    attached_custom_fields: [],
  } satisfies models.Product;
}

export function newCustomer(externalId: string | null, email: string, name: string | null): models.CustomerIndividual {
  return {
    id: randomUUID(),
    ...stamps(),
    metadata: {},
    external_id: externalId,
    email,
    email_verified: false,
    type: "individual",
    name,
    billing_name: null,
    billing_address: null,
    tax_id: null,
    organization_id: organizationId,
    deleted_at: null,
    first_user_event_at: null,
    avatar_url: null,
  } satisfies models.CustomerIndividual;
}

const periodMs = 30 * 86_400_000;

export function newSubscription(customer: models.CustomerIndividual, product: models.Product): models.Subscription {
  const start = new Date();
  const isTrial = product.trial_interval_count !== null;
  const trialEnd = isTrial ? new Date(start.getTime() + Number(product.trial_interval_count) * 86_400_000).toISOString() : null;
  const [price] = product.prices as models.ProductPriceFixed[];
  return {
    id: randomUUID(),
    ...stamps(),
    amount: price?.price_amount ?? 0,
    currency: price?.price_currency ?? "usd",
    recurring_interval: "month",
    recurring_interval_count: 1,
    status: isTrial ? "trialing" : "active",
    current_period_start: start.toISOString(),
    current_period_end: trialEnd ?? new Date(start.getTime() + periodMs).toISOString(),
    current_meter_period_start: null,
    current_meter_period_end: null,
    trial_start: isTrial ? start.toISOString() : null,
    trial_end: trialEnd,
    cancel_at_period_end: false,
    canceled_at: null,
    started_at: start.toISOString(),
    ends_at: null,
    ended_at: null,
    past_due_at: null,
    pause_at_period_end: false,
    paused_at: null,
    resumes_at: null,
    customer_id: customer.id,
    product_id: product.id,
    discount_id: null,
    checkout_id: null,
    units: null,
    customer_cancellation_reason: null,
    customer_cancellation_comment: null,
    metadata: {},
    customer,
    product,
    discount: null,
    prices: product.prices,
    meters: [],
    pending_update: null,
  } satisfies models.Subscription;
}

const isActive = ({ status }: models.Subscription) => status === "active" || status === "trialing";

/** Lists only subscriptions that are active or in a trial, as the provider does. */
export function stateOf(customer: models.CustomerIndividual, subscriptions: models.Subscription[]): models.CustomerState {
  const active = subscriptions.filter((one) => one.customer_id === customer.id && isActive(one));
  return {
    ...customer,
    active_subscriptions: active.map((one) => {
      const of = {
        id: one.id,
        created_at: one.created_at,
        modified_at: one.modified_at,
        metadata: one.metadata,
        amount: one.amount,
        currency: one.currency,
        recurring_interval: one.recurring_interval,
        current_period_start: one.current_period_start,
        current_period_end: one.current_period_end,
        trial_start: one.trial_start,
        trial_end: one.trial_end,
        cancel_at_period_end: one.cancel_at_period_end,
        canceled_at: one.canceled_at,
        started_at: one.started_at,
        ends_at: one.ends_at,
        product_id: one.product_id,
        discount_id: null,
        seats: null,
        units: null,
        meters: [],
      } satisfies Omit<models.CustomerStateSubscription, "status">;
      // The SDK declares this status with the type of another schema; the provider sends these two.
      return { ...of, status: one.status } as unknown as models.CustomerStateSubscription;
    }),
    granted_benefits: [],
    active_meters: [],
  } satisfies models.CustomerState;
}

interface CheckoutOf {
  product: models.Product;
  externalId: string | null;
  customer: models.CustomerIndividual | undefined;
  successUrl: string;
  returnUrl: string | null;
  /** Base URL of the payment page. */
  base: string;
}

export function newCheckout({ product, externalId, customer, successUrl, returnUrl, base }: CheckoutOf): models.Checkout {
  const id = randomUUID();
  const [price] = product.prices as models.ProductPriceFixed[];
  const amount = price?.price_amount ?? 0;
  const { metadata, is_deletable, attached_custom_fields, ...offered } = product;
  return {
    id,
    ...stamps(),
    payment_processor: "stripe",
    status: "open",
    client_secret: randomUUID(),
    url: `${base}/checkout/${id}`,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    success_url: successUrl.replace("{CHECKOUT_ID}", id),
    return_url: returnUrl,
    embed_origin: null,
    amount,
    units: null,
    min_units: null,
    max_units: null,
    discount_amount: 0,
    net_amount: amount,
    tax_amount: null,
    tax_behavior: null,
    total_amount: amount,
    currency: "usd",
    allow_trial: true,
    active_trial_interval: product.trial_interval,
    active_trial_interval_count: product.trial_interval_count,
    trial_end: null,
    organization_id: organizationId,
    product_id: product.id,
    product_price_id: price?.id ?? null,
    discount_id: null,
    allow_discount_codes: true,
    require_billing_address: false,
    is_discount_applicable: false,
    is_free_product_price: false,
    is_payment_required: true,
    is_payment_setup_required: true,
    is_payment_form_required: true,
    customer_id: customer?.id ?? null,
    is_business_customer: false,
    customer_name: customer?.name ?? null,
    customer_email: customer?.email ?? null,
    customer_ip_address: null,
    customer_billing_name: null,
    customer_billing_address: null,
    customer_tax_id: null,
    payment_method_type: null,
    payment_processor_metadata: {},
    billing_address_fields: {
      country: "required",
      state: "disabled",
      city: "disabled",
      postal_code: "disabled",
      line1: "disabled",
      line2: "disabled",
    },
    trial_interval: product.trial_interval,
    trial_interval_count: product.trial_interval_count,
    metadata: {},
    external_customer_id: externalId,
    products: [{ ...offered, benefits: [] }],
    product: { ...offered, benefits: [] },
    product_price: price ?? null,
    prices: null,
    discount: null,
    subscription_id: null,
    attached_custom_fields: [],
    customer_metadata: {},
  } satisfies models.Checkout;
}

export function newSession(customer: models.CustomerIndividual, returnUrl: string | null, base: string): models.CustomerSession {
  const token = `polar_cst_${randomUUID()}`;
  return {
    ...stamps(),
    id: randomUUID(),
    token,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    return_url: returnUrl,
    customer_portal_url: `${base}/portal/${token}`,
    customer_id: customer.id,
    customer,
  } satisfies models.CustomerSession;
}
