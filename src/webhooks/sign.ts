/** Signs webhooks according to the Standard Webhooks specification. */

import { Webhook } from "standardwebhooks";

/** @param secrets each makes one signature; the receiver accepts any of them. @param id id of the event, the same for every attempt. */
export function signedHeaders(secrets: string[], id: string, body: string, at: Date): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}
