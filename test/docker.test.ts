/** The container's promises: what is published, what the API may do, what its image holds and what its seccomp profile lets through. */

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { settings } from "../src/config.ts";
import { readConfig } from "../src/read-config.ts";

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
  healthcheck?: { test: string[] };
  logging?: { driver: string; options: Record<string, string> };
}

interface Rule {
  names: string[];
  action: string;
  args?: { index: number; op: string; value: number; valueTwo: number }[];
}

const root = new URL("../", import.meta.url);
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
const profile: { defaultAction: string; archMap: { architecture: string; subArchitectures: string[] }[]; syscalls: Rule[] } = JSON.parse(
  read("docker/seccomp-chromium.json"),
);
const allowed = new Set(profile.syscalls.flatMap((rule) => rule.names));

/** Variables of `.env` without which compose refuses to start. */
const demanded = new Set([...read("docker-compose.yml").matchAll(/\$\{(\w+):\?/g)].map((match) => match[1] as string));

/** The API's environment as compose would hand it over, with `values` as its `.env`. */
function environment(values: Record<string, string>): Record<string, string> {
  const fill = (text: string) => text.replace(/\$\{(\w+):[-?][^}]*\}/g, (_, name: string) => values[name] ?? "");
  return Object.fromEntries(Object.entries(api.environment).map(([name, value]) => [name, fill(String(value))]));
}

test("nothing but the ports of the API and the front end is published, and those on the loopback unless asked otherwise", () => {
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

test("the stores have no way out of the machine, the front end reaches the API alone, the API reaches all sides", () => {
  assert.equal(compose.networks.stores?.internal, true);
  assert.equal(compose.networks.front?.internal, true);
  const networks: Record<string, string[]> = { api: ["web", "front", "stores"], web: ["front", "people"] };
  for (const [name, service] of services) assert.deepEqual(service.networks, networks[name] ?? ["stores"], name);
});

test("no service has capabilities, privileges or a way to gain them", () => {
  for (const [name, service] of services) {
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.ok(service.security_opt.includes("no-new-privileges:true"), name);
    assert.ok(!service.cap_add && !service.privileged && service.init, name);
    assert.ok(name === "api" ? /^USER 1000:1000$/m.test(lastStage) : service.user, `${name} is not root`);
    assert.ok(!/docker\.sock/.test(JSON.stringify(service)), name);
  }
});

test("the API writes to memory only and runs under the profile that lets Chromium's sandbox work", () => {
  assert.equal(api.read_only, true);
  assert.equal(api.volumes, undefined);
  assert.ok(api.tmpfs.some((mount) => mount.startsWith("/tmp:")));
  assert.ok(api.security_opt.includes("seccomp:./docker/seccomp-chromium.json"));
  assert.notEqual(api.environment.CHROMIUM_SANDBOX, "false");
});

test("every service tells whether it works", () => {
  for (const [name, service] of services) {
    const image = { api: dockerfile, web: read("web/Dockerfile") }[name] ?? "";
    assert.ok(service.healthcheck ?? /^HEALTHCHECK /m.test(image), name);
  }
});

test("no service's log can fill the disk: each is rotated at a bounded size", () => {
  for (const [name, service] of services) {
    assert.equal(service.logging?.driver, "json-file", name);
    const { "max-size": size = "", "max-file": files = "" } = service.logging?.options ?? {};
    assert.match(size, /^\d+m$/, name);
    assert.ok(Number.parseInt(size, 10) * Number(files) <= 200, `${name}: ${files} files of ${size}`);
  }
});

test("the API believes the front end about who asks, and nobody else", () => {
  const [subnet] = compose.networks.front?.ipam?.config ?? [];
  assert.equal(api.environment.TRUST_PROXY, `${subnet?.subnet},\${TRUST_PROXY:-}`);
});

test("the network between dashboard and API has addresses for at least 200 replicas", () => {
  const [, bits] = compose.networks.front?.ipam?.config[0]?.subnet.split("/") ?? [];
  assert.ok(2 ** (32 - Number(bits)) - 4 >= 200, `/${bits}`); // network, broadcast, gateway, the dashboard
});

test("the front end's image holds production's dependencies, only what it copies reaches its builder, and it writes nowhere", () => {
  const file = read("web/Dockerfile");
  const last = file.slice(file.lastIndexOf("\nFROM "));
  assert.match(file, /npm ci .*--ignore-scripts[\s\S]*npm prune --omit=dev/);
  assert.doesNotMatch(last, /\b(npm|npx|yarn|corepack)\b|^FROM node/m);
  assert.match(last, /^USER 1000:1000$/m);
  const copied = [...file.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) => (match[1] as string).split(" "));
  const allowedRules = read("web/.dockerignore")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  assert.deepEqual(allowedRules.sort(), ["*", ...new Set(copied.map((name) => `!${name}`))].sort());
  assert.equal(compose.services.web?.read_only, true);
  assert.equal(compose.services.web?.volumes, undefined);
});

test("every setting can be given in .env, and the API's environment holds no other", () => {
  const setElsewhere = new Set(["HOST", "DATABASE_URL", "REDIS_HOST", "REDIS_PORT", "STORAGE_ENDPOINT", "PUPPETEER_EXECUTABLE_PATH"]);
  const names = Object.keys(settings.shape).filter((name) => !setElsewhere.has(name));
  assert.deepEqual(Object.keys(api.environment).sort(), names.sort());
});

test("the API starts with the secrets alone", async () => {
  const secret = "0123456789abcdef".repeat(4);
  const config = await readConfig(environment(Object.fromEntries([...demanded].map((name) => [name, secret]))));
  assert.equal(config.NODE_ENV, "production");
  assert.equal(config.REDIS_PASSWORD, secret);
  assert.equal(config.STORAGE_USE_PATH_STYLE_ENDPOINT, true);
});

test("no secret has a default, and the documented line makes every one of them", () => {
  const given = Object.keys(api.environment).filter((name) => settings.shape[name as keyof typeof settings.shape].meta()?.secret);
  const written = given.filter((name) => !/^\$\{\w+:[?-]|^redis:\/\/redis:6379$/.test(String(api.environment[name])));
  assert.deepEqual(written, []);
  const line = /for name in ([A-Z_ ]+);/.exec(read("docs/operations.md"))?.[1] ?? "";
  assert.deepEqual(line.trim().split(" ").sort(), [...demanded].sort());
});

const composeCommand = [["docker-compose"], ["docker", "compose"]].find(
  ([command, ...rest]) => spawnSync(command as string, [...rest, "version"]).status === 0,
);

test("compose accepts the file, and refuses it with a sentence when a secret is missing", {
  skip: !composeCommand && "compose is not installed",
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

test("the image holds production's dependencies and no package manager of Node", () => {
  assert.ok(!dockerfile.startsWith("# syntax"), "a syntax line fetches a foreign image before every build");
  assert.match(dockerfile, /npm ci --omit=dev --ignore-scripts/);
  assert.doesNotMatch(lastStage, /\b(npm|npx|yarn|corepack|build-essential|gcc|g\+\+|make)\b/);
  assert.doesNotMatch(lastStage, /^FROM node/m);
  const stages = new Set([...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map((line) => line[1]));
  for (const [, base = ""] of dockerfile.matchAll(/^FROM (\S+)/gm))
    assert.ok(stages.has(base) || /:\d|:bookworm/.test(base), `${base}: pinned by tag`);
});

test("no program in either image can raise its privileges: the last package is followed by the removal of setuid and setgid bits", () => {
  for (const file of ["Dockerfile", "web/Dockerfile"]) {
    const last = read(file).slice(read(file).lastIndexOf("\nFROM "));
    const [removal, user] = ["find / -xdev -type f -perm /6000 -exec chmod a-s {} +", "\nUSER 1000:1000"].map((text) => last.indexOf(text));
    assert.ok((removal as number) > last.lastIndexOf("apt-get"), `${file}: after the packages`);
    assert.ok((removal as number) < (user as number), `${file}: while still root`);
  }
});

test("the image holds the compiled filter lists and not what they are made from", () => {
  assert.match(lastStage, /^COPY --from=blocklists \/app\/blocklists \.\/blocklists$/m);
  assert.match(dockerfile, /^FROM dependencies AS blocklists$[\s\S]*?^RUN .*node scripts\/blocklists\.ts$/m);
  assert.doesNotMatch(lastStage, /scripts/);
});

test("the service can read the compiled code of its image but not change what the next start runs", () => {
  const [stage = ""] = /^FROM dependencies AS compiled$[\s\S]*?^FROM /m.exec(dockerfile) ?? [];
  const [made, root, locked] = [
    "USER 1000:1000\nRUN node scripts/compile.ts", // the cache is found by the id of the user who made it
    "USER root",
    "RUN chown -R root:root .cache && chmod -R u=rwX,go=rX .cache",
  ].map((line) => stage.indexOf(line)) as [number, number, number];
  assert.ok(0 < made && made < root && root < locked, stage);
  assert.match(lastStage, /^COPY --from=compiled \/app\/\.cache \.\/\.cache$/m);
});

test("Node runs the compiled code of a folder that it can't write", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tintype-compiled-"));
  const compiled = join(folder, ".cache");
  const lock = (mode: string) => spawnSync("chmod", ["-R", mode, compiled]);
  t.after(() => {
    lock("u+w");
    rmSync(folder, { recursive: true });
  });
  mkdirSync(join(folder, "src"));
  mkdirSync(compiled);
  copyFileSync(new URL("src/prepare-node.ts", root), join(folder, "src/prepare-node.ts"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "src/part.ts"), "export const answer: number = 42;");
  const entry = 'import { prepareNode } from "./prepare-node.ts"; prepareNode(); console.log((await import("./part.ts")).answer);';
  writeFileSync(join(folder, "src/entry.ts"), entry);
  const run = () => {
    const env = { PATH: process.env.PATH, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "src/entry.ts")], { env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout + stderr;
  };
  assert.match(run(), /^42$/m);
  lock("u=rX,go=rX");
  const second = run();
  assert.match(second, /^42$/m);
  assert.match(second, /V8 code cache for ESM \S+part\.ts was accepted/);
});

test("only what the image copies reaches the builder", () => {
  const rules = read(".dockerignore")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  assert.equal(rules[0], "*");
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) => (match[1] as string).split(" "));
  assert.deepEqual(rules.slice(1).sort(), [...new Set(copied)].map((path) => `!${path}`).sort());
});

test("the image's health check follows /health/live", async (t) => {
  let status = 200;
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [, ...args] = JSON.parse(/^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "") as string[];
  const check = () =>
    new Promise((done) =>
      execFile(process.execPath, args, { env: { PORT: String(port) }, timeout: 20_000 }, (error) => done(error?.code ?? 0)),
    );
  assert.equal(await check(), 0);
  status = 503;
  assert.equal(await check(), 1);
  assert.deepEqual(asked, ["/health/live", "/health/live"]);
});

test("a start that waits for its database is not called unhealthy, and a finished one is noticed soon", () => {
  const seconds = (option: string, file: string) => {
    const [, number, unit] = new RegExp(`^HEALTHCHECK .*--${option}=(\\d+)([ms]) `, "m").exec(file) ?? [];
    return Number(number) * (unit === "m" ? 60 : 1);
  };
  for (const file of [dockerfile, read("web/Dockerfile")]) assert.ok(seconds("interval", file) <= 10);
  assert.ok(seconds("start-period", dockerfile) >= 60 + 30); // 60 s for the database, and the start itself
});

test("the seccomp profile refuses what it does not name, and names each call once", () => {
  assert.equal(profile.defaultAction, "SCMP_ACT_ERRNO");
  assert.ok(profile.syscalls.every((rule) => rule.action === "SCMP_ACT_ALLOW"));
  const unconditional = profile.syscalls.filter((rule) => !rule.args).flatMap((rule) => rule.names);
  assert.equal(new Set(unconditional).size, unconditional.length);
  assert.ok(
    profile.archMap.every((entry) => entry.subArchitectures.length === 0),
    "no 32-bit way in",
  );
});

test("the seccomp profile lets Chromium build its sandbox", () => {
  for (const name of ["clone", "clone3", "unshare", "setns", "chroot", "seccomp", "prctl", "capset"]) assert.ok(allowed.has(name), name);
});

test("the seccomp profile keeps mounting, tracing, kernel keys and other ways into the kernel shut", () => {
  const mounting = "mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick pivot_root";
  const spying = "ptrace process_vm_readv process_vm_writev pidfd_getfd perf_event_open bpf userfaultfd kcmp open_by_handle_at";
  const ruling = "keyctl add_key request_key init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff";
  const rest =
    "acct settimeofday clock_settime sethostname setdomainname syslog iopl ioperm io_uring_setup io_uring_enter quotactl mknod mknodat";
  for (const name of [mounting, spying, ruling, rest].join(" ").split(" ")) assert.ok(!allowed.has(name), name);
});

test("new sockets are of unix, IPv4 or IPv6, or netlink's routes: never raw packets, the firewall or the kernel's ciphers", () => {
  const rules = profile.syscalls.filter((rule) => rule.names.includes("socket"));
  const kinds = rules.map((rule) => (rule.args ?? []).map(({ index, op, value, valueTwo }) => `${index} ${op} ${value} ${valueTwo}`));
  const is = (index: number, value: number) => `${index} SCMP_CMP_MASKED_EQ ${0xffffffff} ${value}`;
  assert.deepEqual(kinds, [[is(0, 1)], [is(0, 2)], [is(0, 10)], [is(0, 16), is(2, 0)]]);
});
