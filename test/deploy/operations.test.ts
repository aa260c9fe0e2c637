/** The commands in docs/operations.md, run verbatim, with a fake Docker. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTestDatabase } from "../support/database.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The first code block under `heading`. */
function commandsUnder(heading: string): string {
  const [, section = ""] = read("docs/operations.md").split(`\n## ${heading}\n`);
  return /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? assert.fail(`no commands under ${heading}`);
}

/** An empty project folder with a `docker` that records its arguments; it refuses those that match the pattern `failing`. */
function projectFolder(t: TestContext, failing = "nothing") {
  const folder = mkdtempSync(join(tmpdir(), "tintype-operations-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, ".bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "docker"), `#!/bin/sh\necho "$*" >> .calls\necho data\ncase "$*" in *${failing}*) exit 1;; esac\n`, {
    mode: 0o755,
  });
  return {
    folder,
    /** Runs `commands` as an operator pastes them, with the usual umask. */
    run: (commands: string) =>
      spawnSync("sh", ["-c", `umask 022\n${commands}`], {
        cwd: folder,
        env: { PATH: [bin, process.env.PATH].join(delimiter) },
        encoding: "utf8",
        timeout: 20_000,
      }),
    calls: () => readFileSync(join(folder, ".calls"), "utf8").trim().split("\n"),
    /** Every file that was created, by its path relative to the folder. */
    files: () =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
        (name) => !/^\.(bin|calls|env)/.test(name) && statSync(join(folder, name)).isFile(),
      ),
  };
}

test("the documented command creates a .env with every secret, readable only by its owner, and keeps an existing one", (t) => {
  const { folder, run } = projectFolder(t);
  const { status, stderr } = run(commandsUnder("Start"));
  assert.equal(status, 0, stderr);
  assert.equal(statSync(join(folder, ".env")).mode & 0o077, 0);
  const written = readFileSync(join(folder, ".env"), "utf8");
  const needed = new Set([...read("docker-compose.yml").matchAll(/\$\{(\w+):\?/g)].map((match) => match[1]));
  for (const name of needed) assert.match(written, new RegExp(`^${name}=[0-9a-f]{64}$`, "m"));
  run(commandsUnder("Start"));
  assert.equal(readFileSync(join(folder, ".env"), "utf8"), written);
});

test("the documented proxy settings match the networks that Docker reports", (t) => {
  const { folder, run } = projectFolder(t);
  const [, tls = ""] = read("docs/operations.md").split("\n## TLS\n");
  const { status, stderr } = run(/```sh\n([\s\S]*?)```/.exec(tls)?.[1] ?? "");
  assert.equal(status, 0, stderr);
  assert.equal(readFileSync(join(folder, ".env"), "utf8"), "TRUST_PROXY=data\nWEB_TRUST_PROXY=data\n");
});

test("a backup is complete, readable only by its owner, and ignored by git", (t) => {
  const { folder, run, files } = projectFolder(t);
  writeFileSync(join(folder, ".env"), "AUTH_SECRET=1\n", { mode: 0o644 });
  const { status, stderr } = run(commandsUnder("Back up and restore"));
  assert.equal(status, 0, stderr);
  const made = files();
  assert.deepEqual(made.map((name) => name.replace(/.*\//, "")).sort(), ["env", "s3.tar", "tintype.dump"]);
  const ignored = read(".gitignore").split("\n");
  for (const name of made) {
    assert.equal(statSync(join(folder, name)).mode & 0o077, 0, `${name} can be read by others`);
    assert.ok(ignored.includes(`/${name.split("/")[0]}/`), `git sees ${name}`);
    assert.ok(statSync(join(folder, name)).size > 0, `${name} is empty`);
  }
});

test("a failed backup restarts the storage and reports the failure", (t) => {
  const { folder, run, calls } = projectFolder(t, "' tar '");
  writeFileSync(join(folder, ".env"), "AUTH_SECRET=1\n");
  assert.notEqual(run(commandsUnder("Back up and restore")).status, 0);
  assert.equal(calls().at(-1), "compose start s3");
});

test("containers are restarted one by one, and none is stopped once a new one fails to become healthy", (t) => {
  const [, several = ""] = read("docs/operations.md").split("\nTo restart the containers one by one");
  const commands = /```sh\n([\s\S]*?)```/.exec(several)?.[1] ?? "";
  const sound = projectFolder(t);
  assert.equal(sound.run(commands).status, 0);
  const up = "compose up --detach --wait --no-deps --no-recreate --scale api=2 api";
  assert.deepEqual(sound.calls(), ["compose ps --quiet api", up, "stop data", "rm data"]);
  const broken = projectFolder(t, "'compose up'");
  assert.notEqual(broken.run(commands).status, 0);
  assert.deepEqual(broken.calls(), ["compose ps --quiet api", up]);
});

test("every documented start command waits until all services are healthy", () => {
  const starts = read("docs/operations.md").match(/^.*docker compose up .*$/gm) ?? [];
  assert.ok(starts.length >= 4, String(starts.length));
  for (const line of starts) assert.match(line, /docker compose up --detach --wait/, line);
});

test("the documented plans match the database", async (t) => {
  const { pool } = await createTestDatabase(t);
  const { rows } = await pool.query("select id, rate_limit, monthly_quota, max_keys, retention_days from plans order by rank");
  const documented = [...read("docs/operations.md").matchAll(/^\| `(free|pro|enterprise)` .*$/gm)].map(([line]) =>
    line.split("|").map((cell) => cell.trim().replace(/[`,]| days/g, "")),
  );
  assert.deepEqual(
    documented.map((cells) => cells.slice(1, -1)),
    rows.map((plan) => Object.values(plan).map((value) => String(value ?? "unlimited"))),
  );
});
