/** Everything that a service has written: tables, Redis keys, stored files, log lines. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createTestRedis } from "./redis.ts";
import type { Scope } from "./scope.ts";
import type { TestService } from "./service.ts";

/** By place. Files of captures whose names end in `.txt` are excluded: they repeat what the pages say. */
export async function storesOf(t: Scope, service: TestService): Promise<Record<string, string[]>> {
  const { rows: tables } = await service.pool.query(
    "select schemaname || '.' || tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const rows = await Promise.all(tables.map(({ name }) => service.pool.query(`select t::text as row from ${name} t`)));
  const { redis } = await createTestRedis(t);
  const keys = await redis.keys(`*${service.env.REDIS_KEY_PREFIX}*`);
  const values = await Promise.all(keys.map((name) => redis.call("dump", name).then(String, String)));
  const folder = fileURLToPath(service.env.STORAGE_URL ?? "");
  const files = globSync("**/*", { cwd: folder, withFileTypes: true }).filter((file) => file.isFile());
  return {
    tables: rows.flatMap((result) => result.rows.map(({ row }) => row)),
    redis: [...keys, ...values],
    files: files.filter(({ name }) => !name.endsWith(".txt")).map((file) => readFileSync(`${file.parentPath}/${file.name}`, "latin1")),
    log: [service.logged()],
  };
}

/** @param places texts by place: each place must have some. */
export function assertNowhere(secrets: string[], places: Record<string, string[]>): void {
  for (const [place, texts] of Object.entries(places)) {
    assert.ok(texts.length > 0 && texts.some((text) => text.length > 0), place);
    for (const secret of secrets)
      for (const form of [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString("hex"),
        Buffer.from(secret).toString("base64").slice(0, -2),
      ])
        assert.ok(!texts.some((text) => text.includes(form)), `${place} has ${form}`);
  }
}
