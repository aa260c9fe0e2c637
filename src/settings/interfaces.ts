/** Settings for the interfaces compatible with other products. */

import { z } from "zod";

/** Interfaces besides our own: those of other products, and MCP for language models. */
export const interfaceNames = ["screenshotone", "browserless", "microlink", "gotenberg", "thumio", "mshots", "mcp"] as const;

export type InterfaceName = (typeof interfaceNames)[number];

const one = `(${interfaceNames.join("|")})`;

export const interfaceSettings = {
  COMPATIBLE_INTERFACES: z
    .string()
    .regex(new RegExp(`^(none|${one}( ?, ?${one})*)$`))
    .default(interfaceNames.join(","))
    .meta({
      valid: `empty, or a comma-separated list of ${interfaceNames.join(", ")}`,
      description:
        "Other products whose requests are accepted, so that programs written for them work unchanged, and `mcp` for language models' tools. See docs/compatible.md and docs/mcp.md.",
    }),
};
