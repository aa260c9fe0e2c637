/** Settings of the interfaces of other products. */

import { z } from "zod";

/** Which other products' requests can be answered. */
export const interfaceNames = ["screenshotone", "browserless", "microlink", "gotenberg", "thumio", "mshots"] as const;

export type InterfaceName = (typeof interfaceNames)[number];

const one = `(${interfaceNames.join("|")})`;

export const interfaceSettings = {
  COMPATIBLE_INTERFACES: z
    .string()
    .regex(new RegExp(`^(none|${one}( ?, ?${one})*)$`))
    .default(interfaceNames.join(","))
    .meta({
      valid: `none, or names with commas of ${interfaceNames.join(", ")}`,
      description: "Other products whose requests are answered, for programs that were written for them. See docs/compatible.md.",
    }),
};
