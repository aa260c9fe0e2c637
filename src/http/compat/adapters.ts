/** Adapters for other products' APIs, by the names used in the `COMPATIBLE_INTERFACES` setting. */

import type { InterfaceName } from "../../settings/server.ts";
import type { Adapter } from "./adapter.ts";

/** All compatible interfaces except `mcp`, which is a protocol rather than another product's API. */
export type Product = Exclude<InterfaceName, "mcp">;

export const adapters: Readonly<Record<Product, () => Promise<Adapter>>> = {
  screenshotone: async () => (await import("./screenshotone.ts")).screenshotOne,
  browserless: async () => (await import("./browserless.ts")).browserless,
  microlink: async () => (await import("./microlink.ts")).microlink,
  gotenberg: async () => (await import("./gotenberg.ts")).gotenberg,
  thumio: async () => (await import("./thumio.ts")).thumio,
  mshots: async () => (await import("./mshots.ts")).mshots,
};

/** Loads the adapters listed in the setting; `none` yields an empty list. */
export async function loadEnabledAdapters(setting: string): Promise<{ all: Adapter[]; hasMcp: boolean }> {
  const names = setting.split(",").map((name) => name.trim());
  const all = await Promise.all(Object.entries(adapters).flatMap(([name, load]) => (names.includes(name) ? [load()] : [])));
  return { all, hasMcp: names.includes("mcp") };
}
