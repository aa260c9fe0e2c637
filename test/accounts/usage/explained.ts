/** The cost of statements, according to PostgreSQL's own `explain`. */

import type { Database, Queries } from "../../../src/database/database.ts";

interface Cost {
  /** Pages of 8 KB, in memory or not. */
  pages: number;
  ms: number;
}

interface Plan {
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
}

/** The same database, but the cost of each statement is added to `costs`. Each statement runs twice. */
export function explained(database: Database): { database: Database; costs: Cost[] } {
  const costs: Cost[] = [];
  const measuring =
    (query: Queries["query"]): Queries["query"] =>
    async (statement, values) => {
      const given = typeof statement === "string" ? { text: statement, values } : statement;
      if (given.text.startsWith("set ")) return query(statement, values);
      const { rows } = await query<{ "QUERY PLAN": { Plan: Plan; "Planning Time": number; "Execution Time": number }[] }>({
        text: `explain (analyze, buffers, timing off, format json) ${given.text}`,
        values: given.values ?? [],
        timeoutMs: Number.POSITIVE_INFINITY,
      });
      for (const { Plan: plan, "Planning Time": planning, "Execution Time": execution } of rows[0]?.["QUERY PLAN"] ?? [])
        costs.push({ pages: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], ms: planning + execution });
      return query(statement, values);
    };
  const transaction: Database["transaction"] = (work, limits) =>
    database.transaction((inner) => work({ ...inner, query: measuring(inner.query) }), limits);
  return { database: { ...database, query: measuring(database.query), transaction }, costs };
}
