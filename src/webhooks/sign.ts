/** The headers of a webhook, as Standard Webhooks define them. */

import { Webhook } from "standardwebhooks";

/** @param secrets each gives a signature; the receiver accepts any of them. @param id of the event, the same at every try. */
export function signedHeaders(secrets: string[], id: string, body: string, at: Date): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}
