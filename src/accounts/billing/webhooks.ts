/** Receives and stores the provider's webhooks. Their only other effect is to make accounts due for reconciliation. */

import type { BaseLogger } from "pino";
import { type Database, jsonbText } from "../../database/database.ts";
import { withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";

export interface BillingWebhooks {
  /**
   * Verifies a webhook and stores it, ignoring duplicates even across replicas. Resolves within two seconds; if the database is slow,
   * storing continues in the background. @param body the raw bytes. @throws {AppError} `not_found` if no secret is set;
   * `signature_invalid`; `invalid_parameters`; `unavailable`.
   */
  receive(body: Buffer, headers: Record<string, unknown>): Promise<void>;
  /** Stores webhooks that could not be stored in time. */
  storeLate(): Promise<void>;
}

interface WebhookSettings {
  /** If empty, webhooks are not accepted. */
  secret: string;
  log: BaseLogger;
  /** Called after a webhook has been stored, except by `storeLate`. */
  onStored: () => void;
}

interface StoredEvent {
  id: string;
  type: string;
  /** Account that the event concerns; null if there is none. */
  userId: string | null;
}

const storeTimeoutMs = 1_500;
/** Maximum number of events held in memory for `storeLate`. */
const lateMax = 1_000;
/** Ids and types of the provider are shorter, and printable. */
const nameForm = /^[\x21-\x7e]{1,200}$/;
const headerNames = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

export function createBillingWebhooks(database: Database, { secret, log, onStored }: WebhookSettings): BillingWebhooks {
  let late: StoredEvent[] = [];

  /** The insert may outlast the request's deadline; if it then fails, `storeLate` retries it. */
  async function store(event: StoredEvent): Promise<void> {
    const storing = storeEvent(database, event).then(onStored);
    await withDeadline(storing, storeTimeoutMs, () => {
      log.warn({ webhook: event.id }, "the database is slow: a webhook will be stored later");
      storing.catch(() => {
        if (late.length < lateMax) late.push(event);
      });
    });
  }

  return {
    async receive(body, headers) {
      if (secret === "") throw new AppError("not_found");
      const signed = Object.fromEntries(headerNames.map((name) => [name, String(headers[name] ?? "")]));
      const { type, data } = await verified(body, signed, secret);
      const id = String(signed["webhook-id"]);
      if (![id, type].every((name) => nameForm.test(name)))
        throw new AppError("invalid_parameters", { message: "The webhook's id and type must have 1 to 200 printable characters." });
      await store({ id, type, userId: accountOf(type, data) });
    },
    async storeLate() {
      const events = late;
      late = [];
      for (const [index, event] of events.entries()) {
        try {
          await storeEvent(database, event);
        } catch (error) {
          late.push(...events.slice(index));
          throw error;
        }
      }
    },
  };
}

interface WebhookContent {
  type: string;
  /** Not validated: a valid signature doesn't guarantee its form. */
  data: unknown;
}

async function verified(body: Buffer, headers: Record<string, string>, secret: string): Promise<WebhookContent> {
  const { webhooks } = await import("@polar-sh/sdk/2026-10");
  try {
    return (await webhooks.validateEvent(body, headers, secret)) as unknown as WebhookContent;
  } catch (error) {
    if (error instanceof webhooks.PolarWebhookVerificationError) throw new AppError("signature_invalid", { cause: error });
    // The signature is valid, so this is an event type that this version of the SDK doesn't know yet.
    if (error instanceof webhooks.PolarWebhookUnknownTypeError) return { type: String(error.eventType), data: {} };
    throw new AppError("invalid_parameters", { message: "The body is not a valid billing webhook.", cause: error });
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function accountOf(type: string, data: unknown): string | null {
  const { customer, external_customer_id } = Object(data) as Record<string, unknown>;
  const { external_id } = Object(type.startsWith("customer.") ? data : customer) as Record<string, unknown>;
  const id = external_id ?? external_customer_id;
  return typeof id === "string" && uuid.test(id) ? id : null;
}

/** One statement, so that storing the event and making its account due are atomic. A duplicate has no effect. */
async function storeEvent(database: Database, { id, type, userId }: StoredEvent): Promise<void> {
  await database.query({
    name: "store_billing_event",
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `with stored as (
             insert into billing_events (id, type, payload, processed_at) values ($1, $2, $3::jsonb, now())
             on conflict (id) do nothing returning id
           )
           insert into billing_customers (user_id)
           select u.id from users u, stored where u.id = $4::uuid and u.deleted_at is null
           on conflict (user_id) do update set due_at = now(), revision = billing_customers.revision + 1`,
    values: [id, type, jsonbText({ user_id: userId }), userId],
  });
}
