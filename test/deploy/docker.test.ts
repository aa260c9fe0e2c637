/** docker-compose.yml: published ports, privileges, networks, settings. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { settings } from "../../src/settings/config.ts";
import { readConfig } from "../../src/settings/read-config.ts";

interface Service {
  image: string;
  user?: string;
  ports?: string[];
  networks: string[];
  cap_drop: string[];
  cap_add?: string[];
  privileged?: boolean;
  network_mode?: string;
  security_opt: string[];
  read_only?: boolean;
  init: boolean;
  tmpfs: string[];
  volumes?: string[];
  environment: Record<string, string | number>;
  healthcheck?: { test?: string[]; start_interval?: string };
  logging?: { driver: string; options: Record<string, string> };
}

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const compose: {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } } | null>;
} = parse(read("docker-compose.yml"), {
  merge: true,
});
const services = Object.entries(compose.services);
const api = compose.services.api as Service;
const dockerfile = read("Dockerfile");
const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));

/** Variables in `.env` without which Compose refuses to start. */
const demanded = new Set([...read("docker-compose.yml").matchAll(/\$\{(\w+):\?/g)].map((match) => match[1] as string));

/** The API's environment as Compose would pass it, with `values` as its `.env`. */
function environment(values: Record<string, string>): Record<string, string> {
  const fill = (text: string) => text.replace(/\$\{(\w+):[-?][^}]*\}/g, (_, name: string) => values[name] ?? "");
  return Object.fromEntries(Object.entries(api.environment).map(([name, value]) => [name, fill(String(value))]));
}

test("only the API and the dashboard publish a port, on loopback by default", () => {
  assert.deepEqual(
    services.filter(([, service]) => service.ports).map(([name]) => name),
    ["api", "web"],
  );
  assert.deepEqual(api.ports, [`\${PUBLISH_ADDRESS:-127.0.0.1}:\${PUBLISH_PORT:-3000}:${api.environment.PORT}`]);
  assert.deepEqual(compose.services.web?.ports, [
    `\${PUBLISH_ADDRESS:-127.0.0.1}:\${WEB_PUBLISH_PORT:-3001}:${compose.services.web?.environment.WEB_PORT}`,
  ]);
  assert.ok(services.every(([, service]) => !service.network_mode));
});

test("the stores can't reach the internet, the dashboard reaches only the API, the API reaches all networks", () => {
  assert.equal(compose.networks.stores?.internal, true);
  assert.equal(compose.networks.front?.internal, true);
  const networks: Record<string, string[]> = { api: ["web", "front", "stores"], web: ["front", "people"] };
  for (const [name, service] of services) assert.deepEqual(service.networks, networks[name] ?? ["stores"], name);
});

test("no service has capabilities, privileges or a way to gain privileges", () => {
  for (const [name, service] of services) {
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.ok(service.security_opt.includes("no-new-privileges=true"), name);
    assert.ok(!service.cap_add && !service.privileged && service.init, name);
    assert.ok(name === "api" ? /^USER 1000:1000$/m.test(lastStage) : service.user, `${name} is not root`);
    assert.ok(!/docker\.sock/.test(JSON.stringify(service)), name);
  }
});

test("the API writes to memory only and uses the seccomp profile for Chromium's sandbox", () => {
  assert.equal(api.read_only, true);
  assert.equal(api.volumes, undefined);
  assert.ok(api.tmpfs.some((mount) => mount.startsWith("/tmp:")));
  assert.ok(api.security_opt.includes("seccomp=./docker/seccomp-chromium.json"));
  assert.notEqual(api.environment.CHROMIUM_SANDBOX, "false");
});

test("the dashboard writes to memory only", () => {
  assert.equal(compose.services.web?.read_only, true);
  assert.equal(compose.services.web?.volumes, undefined);
});

test("every service has a health check", () => {
  for (const [name, service] of services) {
    const image = { api: dockerfile, web: read("web/Dockerfile") }[name] ?? "";
    assert.ok(service.healthcheck?.test ?? /^HEALTHCHECK /m.test(image), name);
    assert.equal(service.healthcheck?.start_interval, "1s", `${name}: whatever waits for it starts soon after it is ready`);
  }
});

test("every service's log is rotated at a limited size", () => {
  for (const [name, service] of services) {
    assert.equal(service.logging?.driver, "json-file", name);
    const { "max-size": size = "", "max-file": files = "" } = service.logging?.options ?? {};
    assert.match(size, /^\d+m$/, name);
    assert.ok(Number.parseInt(size, 10) * Number(files) <= 200, `${name}: ${files} files of ${size}`);
  }
});

test("the API trusts forwarded client addresses only from the dashboard", () => {
  const [subnet] = compose.networks.front?.ipam?.config ?? [];
  assert.equal(api.environment.TRUST_PROXY, `${subnet?.subnet},\${TRUST_PROXY:-}`);
});

test("the network between the dashboard and the API isn't one that Docker chose, which another network may already use", () => {
  const [subnet = ""] = compose.networks.front?.ipam?.config.map(({ subnet }) => subnet) ?? [];
  const given = new BlockList();
  for (let second = 17; second < 32; second++) given.addSubnet(`172.${second}.0.0`, 16);
  given.addSubnet("192.168.0.0", 16);
  assert.ok(!given.check(subnet.split("/")[0] as string), subnet);
});

test("the network between the dashboard and the API has addresses for at least 200 replicas", () => {
  const [, bits] = compose.networks.front?.ipam?.config[0]?.subnet.split("/") ?? [];
  assert.ok(2 ** (32 - Number(bits)) - 4 >= 200, `/${bits}`); // network, broadcast, gateway, dashboard
});

test("every setting can be set in .env, and the API's environment contains no others", () => {
  const setElsewhere = new Set([
    "HOST",
    "DATABASE_URL",
    "DATABASE_SSLMODE",
    "DATABASE_SSLROOTCERT",
    "REDIS_HOST",
    "REDIS_PORT",
    "STORAGE_ENDPOINT",
    "PUPPETEER_EXECUTABLE_PATH",
  ]);
  const names = Object.keys(settings.shape).filter((name) => !setElsewhere.has(name));
  assert.deepEqual(Object.keys(api.environment).sort(), names.sort());
});

test("the API starts with only the secrets set", async () => {
  const secret = "0123456789abcdef".repeat(4);
  const config = await readConfig(environment(Object.fromEntries([...demanded].map((name) => [name, secret]))));
  assert.equal(config.NODE_ENV, "production");
  assert.equal(config.REDIS_PASSWORD, secret);
  assert.equal(config.STORAGE_USE_PATH_STYLE_ENDPOINT, true);
});

test("no secret has a default, and the documented command generates all of them", () => {
  const given = Object.keys(api.environment).filter((name) => settings.shape[name as keyof typeof settings.shape].meta()?.secret);
  const written = given.filter((name) => !/^\$\{\w+:[?-]|^redis:\/\/redis:6379$/.test(String(api.environment[name])));
  assert.deepEqual(written, []);
  const line = /for name in ([A-Z_ ]+);/.exec(read("docs/operations.md"))?.[1] ?? "";
  assert.deepEqual(line.trim().split(" ").sort(), [...demanded].sort());
});

const composeCommand = [["docker-compose"], ["docker", "compose"]].find(
  ([command, ...rest]) => spawnSync(command as string, [...rest, "version"]).status === 0,
);

test("Compose accepts the file, and reports a missing secret", {
  skip: !composeCommand && "Compose is not installed",
}, (t) => {
  const [command, ...rest] = composeCommand as [string, ...string[]];
  const folder = mkdtempSync(join(tmpdir(), "tintype-compose-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const dotEnv = join(folder, "env");
  const run = (names: string[]) => {
    writeFileSync(dotEnv, names.map((name) => `${name}=${"x".repeat(32)}\n`).join(""));
    const options = { cwd: fileURLToPath(root), env: { PATH: process.env.PATH, HOME: folder }, encoding: "utf8", timeout: 60_000 } as const;
    return spawnSync(command, [...rest, "--env-file", dotEnv, "config", "-q"], options);
  };
  const complete = run([...demanded]);
  assert.equal(complete.status, 0, complete.stderr);
  const refused = run([...demanded].filter((name) => name !== "AUTH_SECRET"));
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /put AUTH_SECRET into \.env/);
});
