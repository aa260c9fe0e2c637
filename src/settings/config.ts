/**
 * All settings of the service as one zod schema. Validation, types, `.env.example` and `docs/configuration.md` are derived from it. The
 * settings themselves are declared in the other files in this folder.
 */

import { z } from "zod";
import { browserEndpointSettings, captureSettings, chromiumSettings } from "./capture.ts";
import { billingSettings, dashboardSettings, mailSettings, signUpSettings } from "./dashboard.ts";
import { proxySettings } from "./proxies.ts";
import { interfaceSettings, limitSettings, serverSettings, tracingSettings, watchSettings, webhookSettings } from "./server.ts";
import { postgresSettings, redisSettings, storageSettings } from "./stores.ts";

declare module "zod" {
  interface GlobalMeta {
    /** Heading in the generated documentation. */
    group?: string;
    /** The value never appears in logs or errors. */
    secret?: boolean;
    /** The value is a list whose reader ignores white space around the entries; in other texts, it is refused at the ends. */
    isList?: boolean;
    /** Value in `.env.example` if there is no default. */
    example?: string;
  }
}

export const settings = z.object({
  ...inGroup("Server", serverSettings),
  ...inGroup("PostgreSQL", postgresSettings),
  ...inGroup("Redis", redisSettings),
  ...inGroup("Storage", storageSettings),
  ...inGroup("Keys and limits", limitSettings),
  ...inGroup("Capture", captureSettings),
  ...inGroup("Chromium", chromiumSettings),
  ...inGroup("Proxies", proxySettings),
  ...inGroup("Other products' interfaces", interfaceSettings),
  ...inGroup("Browser endpoint", browserEndpointSettings),
  ...inGroup("Dashboard", dashboardSettings),
  ...inGroup("Sign-up", signUpSettings),
  ...inGroup("Mail", mailSettings),
  ...inGroup("Webhooks", webhookSettings),
  ...inGroup("Watches", watchSettings),
  ...inGroup("Billing", billingSettings),
  ...inGroup("Traces", tracingSettings),
});

export type Config = z.infer<typeof settings>;

/** The settings as a JSON schema (draft 7), including their metadata. */
export const settingsJsonSchema = z.toJSONSchema(settings, { target: "draft-7", io: "input" });
export type SettingName = keyof Config & string;
export const settingProperties = settingsJsonSchema.properties as Record<SettingName, z.core.JSONSchema.BaseSchema>;

function inGroup<Shape extends Record<string, z.ZodType>>(group: string, shape: Shape): Shape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.meta({ group })])) as Shape;
}
