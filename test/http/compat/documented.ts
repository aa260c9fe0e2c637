/** Documented requests of other products, and the options they must be translated to. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/stack/folders.ts";
import type { Adapter } from "../../../src/http/compat/adapter.ts";
import { adapters, type Product } from "../../../src/http/compat/adapters.ts";
import { flatten, nameInTable, tableOf } from "../../../src/http/compat/translate.ts";
import { suiteParagraph, suites } from "./suites.ts";

export interface Documented {
  /** One of the adapter's paths; the first by default. */
  path?: string;
  method?: "GET" | "POST";
  /**
   * The whole URL, for products that have the options in it: `KEY` and `SITE` stand for the key and the site, `ENCODED` for the encoded
   * site, `HOST` for its host.
   */
  address?: string;
  /** `SITE` stands for the origin of the test site. */
  sends: Record<string, unknown>;
  /** The same in our options, as they are recorded. */
  means: Record<string, unknown>;
}

export const page = join(root, "docs/compatible.md");

/** The parameter names in a request, as the table of its route names them. */
export function namesOf(adapter: Adapter, { path, sends }: Documented): string[] {
  const route = adapter.routes.find((one) => path === undefined || one.path === path);
  const table = tableOf(adapter, route ?? {});
  const files = Object.keys((sends.files ?? {}) as object).filter((name) => name in table);
  return [...Object.keys(flatten(sends, table)).map((name) => nameInTable(name, table)), ...files];
}

/** All parameter names of an adapter, over all routes. A name with different meanings on them has one entry for each. */
export function namesOfAdapter(adapter: Adapter): Map<string, Adapter["table"][string]> {
  const all = new Map<string, Adapter["table"][string]>();
  for (const route of adapter.routes)
    for (const [name, entry] of Object.entries(tableOf(adapter, route))) {
      const before = all.get(name);
      if (!entry.isForOtherRoutes) all.set(name, before && before !== entry ? joined(before, entry) : entry);
    }
  return all;
}

type Entry = Adapter["table"][string];

function joined(one: Entry, other: Entry): Entry {
  const note = [...new Set([one.note, other.note])].filter((text) => text !== undefined).join("; ");
  return { ...one, ours: [...new Set([...one.ours, ...other.ours])], ...(note ? { note } : {}) };
}

export async function compatiblePage(driven: ReadonlyMap<Product, ReadonlySet<string>>): Promise<string> {
  const sections: string[] = [];
  for (const [name, load] of Object.entries(adapters) as [Product, () => Promise<Adapter>][]) {
    const adapter = await load();
    const done = driven.get(name);
    const plain = (adapter.plainRoutes ?? []).map(({ path }) => `GET ${path}`);
    const paths = new Set([...adapter.routes.map(({ method, path }) => `${method} ${path}`), ...plain]);
    const rows = [...namesOfAdapter(adapter)].map(([theirs, { ours, note = "", refuses, affectsResponse }]) => {
      const mark = refuses === "always" ? "" : suites[name]?.names.includes(theirs) ? "●" : done?.has(theirs) ? "○" : "";
      const served =
        refuses === "always"
          ? "a 400"
          : ours.length > 0
            ? ours.map((one) => `\`${one}\``).join(", ")
            : affectsResponse
              ? "the answer"
              : "no effect";
      return `| \`${theirs}\` | ${mark} | ${refuses === "some" ? "a 400, unless off" : served} | ${note} |`;
    });
    sections.push(
      [
        `## ${adapter.title}`,
        `\`COMPATIBLE_INTERFACES=${name}\` · ${[...paths].map((one) => `\`${one}\``).join(", ")} · the key as \`${adapter.keyName}\` · [reference](${adapter.reference})`,
        ...(adapter.about ? [adapter.about] : []),
        ...suiteParagraph(name),
        ["| name | | ours | |", "| --- | --- | --- | --- |", ...rows].join("\n"),
      ].join("\n\n"),
    );
  }
  const [head = ""] = readFileSync(join(root, "test/http/compat/compatible-head.txt"), "utf8").split("\n<!-- end -->");
  return `${[head.trim(), ...sections].join("\n\n")}\n`;
}
