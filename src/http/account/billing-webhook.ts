/** `POST /v1/billing/webhook`: notifications from the billing provider. */

import type { FastifyInstance } from "fastify";
import type { BillingWebhooks } from "../../accounts/billing/webhooks.ts";
import { AppError } from "../../shared/errors.ts";
import { operation } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";

export const receiveBillingWebhook = operation({
  id: "receiveBillingWebhook",
  tag: "Webhooks",
  method: "POST",
  path: "/v1/billing/webhook",
  summary: "Receive a webhook from the billing provider",
  description: "Signed according to [Standard Webhooks](https://www.standardwebhooks.com). A repeated webhook has no effect.",
  access: "public",
  checksOrigin: false,
  status: 202,
  failures: ["invalid_parameters", "signature_invalid", "not_found", "payload_too_large", "unsupported_media_type"],
});

const bodyBytesMax = 1024 * 1024;

/**
 * Requires a dedicated Fastify instance: the signature covers the raw body, so it is not parsed.
 * @param webhooks undefined if billing is not configured.
 */
export function billingWebhookRoute(app: FastifyInstance, { publicRoute }: Routes, webhooks: BillingWebhooks | undefined): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: bodyBytesMax }, (_request, body, done) => done(null, body));
  publicRoute(receiveBillingWebhook, async ({ request }) => {
    if (!webhooks) throw new AppError("not_found");
    await webhooks.receive(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0), request.headers);
  });
}
