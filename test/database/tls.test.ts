/**
 * TLS to PostgreSQL: `DATABASE_SSLMODE` and `DATABASE_SSLROOTCERT`, against a real server behind a proxy that implements its TLS
 * negotiation.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createSecureContext, TLSSocket } from "node:tls";
import { pino } from "pino";
import { createPool } from "../../src/database/create-pool.ts";
import { databaseSettingNames, databaseSettingsOf } from "../../src/settings/database-settings.ts";
import { ConfigError, readConfig } from "../../src/settings/read-config.ts";
import { createCertificate } from "../browser/certificate.ts";
import { fileScope } from "../support/scope.ts";

const scope = fileScope();
const folder = await mkdtemp(join(tmpdir(), "tintype-tls-"));
scope.after(() => rm(folder, { recursive: true, force: true }));
const certificate = createCertificate("localhost");
const other = createCertificate("localhost");
const [signedBy, signedByOther] = [join(folder, "own.pem"), join(folder, "other.pem")];
await Promise.all([writeFile(signedBy, certificate.cert), writeFile(signedByOther, other.cert)]);
const gate = await startTlsGate(new URL(process.env.TEST_DATABASE_URL ?? ""));

/** Accepts PostgreSQL's request for TLS; refuses unencrypted connections, as `hostnossl all all reject` does. @returns its port. */
async function startTlsGate(database: URL): Promise<{ port: number; encrypted(): number }> {
  const secureContext = createSecureContext(certificate);
  let encrypted = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (first: Buffer) => {
      if (first.readInt32BE(4) !== 80_877_103) return void socket.destroy(); // SSLRequest
      socket.write("S");
      const near = new TLSSocket(socket, { isServer: true, secureContext });
      near.on("error", () => {}).on("secure", () => (encrypted += 1));
      const far = connect(Number(database.port || 5432), database.hostname).on("error", () => near.destroy());
      near.pipe(far).pipe(near);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  scope.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, encrypted: () => encrypted };
}

function urlOf(host: string, parameters: Record<string, string>): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.host = `${host}:${gate.port}`;
  url.password ||= "unused";
  url.search = String(new URLSearchParams(parameters));
  return url.href;
}

async function connecting(env: Record<string, string>): Promise<string> {
  const settings = databaseSettingsOf(await readConfig(env, databaseSettingNames));
  const pool = createPool(settings, pino({ level: "silent" }));
  try {
    await pool.query("select 1");
    return "connected";
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).message;
  } finally {
    await pool.end();
  }
}

test("each sslmode in the URL makes the same checks as libpq does, and so do the settings", async () => {
  const cases: [host: string, parameters: Record<string, string>, result: RegExp][] = [
    ["127.0.0.1", {}, /Connection terminated/],
    ["127.0.0.1", { sslmode: "disable" }, /Connection terminated/],
    ["127.0.0.1", { sslmode: "require" }, /^connected$/],
    ["127.0.0.1", { sslmode: "verify-ca" }, /SELF_SIGNED/],
    ["127.0.0.1", { sslmode: "verify-ca", sslrootcert: signedByOther }, /SELF_SIGNED|SIGNATURE/],
    ["127.0.0.1", { sslmode: "verify-ca", sslrootcert: signedBy }, /^connected$/],
    ["127.0.0.1", { sslmode: "verify-full", sslrootcert: signedBy }, /ALTNAME/],
    ["localhost", { sslmode: "verify-full", sslrootcert: signedBy }, /^connected$/],
  ];
  for (const [host, parameters, result] of cases) {
    assert.match(await connecting({ DATABASE_URL: urlOf(host, parameters) }), result, JSON.stringify([host, parameters]));
    const { sslmode = "", sslrootcert = "" } = parameters;
    const alone = { DATABASE_URL: urlOf(host, {}), DATABASE_SSLMODE: sslmode, DATABASE_SSLROOTCERT: sslrootcert };
    assert.match(await connecting(alone), result, JSON.stringify([host, parameters]));
  }
  assert.ok(gate.encrypted() >= 6);
});

test("URL parts that have no effect or can't be read are rejected by name", async () => {
  const cases: [env: Record<string, string>, problem: RegExp][] = [
    [
      { DATABASE_URL: urlOf("127.0.0.1", { sslmode: "require", options: "-c a=b", pgbouncer: "true" }) },
      /^DATABASE_URL has the parameters options, pgbouncer, which have no effect: remove them; supported: sslmode and sslrootcert$/,
    ],
    [{ DATABASE_URL: urlOf("127.0.0.1", { sslmode: "prefer" }) }, /^DATABASE_SSLMODE is "prefer"; it must be .*require.*verify-full/],
    [{ DATABASE_URL: "postgresql://ada:12#34@db.example/shots" }, /^DATABASE_URL contains a #; percent-encode/],
    [{ DATABASE_URL: "postgresql://ada:x@one,two/shots" }, /^DATABASE_URL lists several hosts/],
    [{ DATABASE_URL: urlOf("127.0.0.1", { sslmode: "require", sslrootcert: signedBy }) }, /^DATABASE_SSLROOTCERT has no effect unless/],
    [
      { DATABASE_URL: urlOf("127.0.0.1", { sslmode: "verify-full", sslrootcert: "/none.pem" }) },
      /^DATABASE_SSLROOTCERT can't be read: ENOENT/,
    ],
  ];
  for (const [env, problem] of cases)
    await assert.rejects(readConfig(env, databaseSettingNames), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.equal(error.problems.length, 1, error.message);
      assert.match(error.problems[0] ?? "", problem);
      return true;
    });
  await assert.rejects(readConfig({ REDIS_URL: "redis://default:12#34@redis" }, ["REDIS_URL"]), /REDIS_URL contains a #; percent-encode/);
});
