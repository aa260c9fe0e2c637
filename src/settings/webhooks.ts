/** Settings for outgoing webhooks. */

import { z } from "zod";

export const webhookSettings = {
  WEBHOOK_ALLOW_HTTP: z.boolean().default(false).meta({
    description:
      "Allow webhooks to `http` URLs, whose content anyone on the network path can read. `EGRESS_ALLOWED_HOSTS` lists private addresses that webhooks may reach.",
  }),
};
