/** Docker images: contents, permissions, health checks. */

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

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const dockerfile = read("Dockerfile");
const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));

test("the image contains only production dependencies, and no Node package manager", () => {
  assert.ok(!dockerfile.startsWith("# syntax"), "a syntax line fetches a foreign image before every build");
  assert.match(dockerfile, /npm ci --omit=dev --ignore-scripts/);
  assert.doesNotMatch(lastStage, /\b(npm|npx|yarn|corepack|build-essential|gcc|g\+\+|make)\b/);
  assert.match(lastStage, /^\nFROM \$\{DEBIAN_IMAGE\}$/m);
});

test("both images use the same bases, pinned by tag, or by digest on request", () => {
  const bases = ["Dockerfile", "web/Dockerfile"].map((file) => [...read(file).matchAll(/^ARG (?:NODE|DEBIAN)_IMAGE=\S+$/gm)].map(String));
  assert.deepEqual(bases[0], bases[1]);
  for (const base of bases[0] as string[]) assert.match(base, /=(node:24|debian:bookworm)/);
  for (const file of ["Dockerfile", "web/Dockerfile"]) {
    const stages = [...read(file).matchAll(/^FROM \S+ AS (\S+)$/gm)].map((line) => line[1]);
    for (const [, base] of read(file).matchAll(/^FROM (\S+)/gm))
      assert.ok(["NODE_IMAGE", "DEBIAN_IMAGE"].some((name) => base === `\${${name}}`) || stages.includes(base), `${file}: ${base}`);
  }
});

test("the images' labels contain the version from package.json", () => {
  const { version } = JSON.parse(read("package.json"));
  for (const file of ["Dockerfile", "web/Dockerfile"]) assert.ok(read(file).includes(`\nARG VERSION=${version}\n`), file);
});

test("every package with compiled code has a build for arm64", () => {
  const { packages }: { packages: Record<string, { dev?: boolean; os?: string[]; cpu?: string[]; libc?: string[] }> } = JSON.parse(
    read("package-lock.json"),
  );
  const builtFor = (cpu: string) =>
    Object.entries(packages)
      .filter(([, found]) => !found.dev && found.os?.includes("linux") && found.cpu?.includes(cpu) && found.libc?.includes("glibc"))
      .map(([path]) => path.replace(`-${cpu}`, ""));
  assert.ok(builtFor("x64").length > 0);
  assert.deepEqual(builtFor("arm64"), builtFor("x64"));
});

test("the package list in the image contains no timestamps or random numbers", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tintype-sbom-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "scripts"));
  copyFileSync(new URL("scripts/sbom.cjs", root), join(folder, "scripts/sbom.cjs"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "a", version: "1.0.0", dependencies: { b: "1.0.0" } }));
  mkdirSync(join(folder, "node_modules/b"), { recursive: true });
  writeFileSync(join(folder, "node_modules/b/package.json"), JSON.stringify({ name: "b", version: "1.0.0", license: "MIT" }));
  const print = () => spawnSync(process.execPath, ["scripts/sbom.cjs"], { cwd: folder, encoding: "utf8" });
  const [first, second] = [print(), print()];
  assert.equal(first.status, 0, first.stderr);
  assert.equal(first.stdout, second.stdout);
  const { metadata, components } = JSON.parse(first.stdout);
  assert.equal(metadata.component.name, "a");
  assert.deepEqual(
    components.map((each: { purl: string }) => each.purl),
    ["pkg:npm/b@1.0.0"],
  );
});

test("no program in either image is setuid or setgid: the bits are removed after the last package is installed", () => {
  for (const file of ["Dockerfile", "web/Dockerfile"]) {
    const last = read(file).slice(read(file).lastIndexOf("\nFROM "));
    const [removal, user] = ["find / -xdev -type f -perm /6000 -exec chmod a-s {} +", "\nUSER 1000:1000"].map((text) => last.indexOf(text));
    assert.ok((removal as number) > last.lastIndexOf("apt-get"), `${file}: after the packages`);
    assert.ok((removal as number) < (user as number), `${file}: while still root`);
  }
});

test("the image contains the compiled filter lists but not their sources", () => {
  assert.match(lastStage, /^COPY --from=blocklists \/app\/blocklists \.\/blocklists$/m);
  assert.match(dockerfile, /^FROM dependencies AS blocklists$[\s\S]*?^RUN .*node scripts\/blocklists\.ts$/m);
  assert.doesNotMatch(lastStage, /scripts/);
});

test("the service can read the image's compiled code but not modify it", () => {
  const [stage = ""] = /^FROM dependencies AS compiled$[\s\S]*?^FROM /m.exec(dockerfile) ?? [];
  const [made, root, locked] = [
    "USER 1000:1000\nRUN node scripts/compile.ts", // the cache folder is named after the id of the user who created it
    "USER root",
    "RUN chown -R root:root .cache && chmod -R u=rwX,go=rX .cache",
  ].map((line) => stage.indexOf(line)) as [number, number, number];
  assert.ok(0 < made && made < root && root < locked, stage);
  assert.match(lastStage, /^COPY --from=compiled \/app\/\.cache \.\/\.cache$/m);
});

test("the image build can load every module without side effects", () => {
  const script = fileURLToPath(new URL("scripts/compile.ts", root));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { env: { PATH: process.env.PATH }, encoding: "utf8" });
  assert.deepEqual([status, stdout, stderr], [0, "", ""]);
});

test("Node uses a compile cache in a read-only folder", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tintype-compiled-"));
  const compiled = join(folder, ".cache");
  const lock = (mode: string) => spawnSync("chmod", ["-R", mode, compiled]);
  t.after(() => {
    lock("u+w");
    rmSync(folder, { recursive: true });
  });
  mkdirSync(join(folder, "src/start"), { recursive: true });
  mkdirSync(compiled);
  copyFileSync(new URL("src/start/prepare-node.js", root), join(folder, "src/start/prepare-node.js"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "src/part.ts"), "export const answer: number = 42;");
  const entry = 'import { prepareNode } from "./start/prepare-node.js"; prepareNode(); console.log((await import("./part.ts")).answer);';
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

test("the build context contains only the files that the image copies", () => {
  const rules = read(".dockerignore")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  assert.equal(rules[0], "*");
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
    .flatMap((match) => (match[1] as string).split(" "))
    .filter((path) => path !== "scripts/sbom.cjs"); // within scripts
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

test("the health check tolerates a start that waits for the database, and detects a completed start quickly", () => {
  const seconds = (option: string, file: string) => {
    const [, number, unit] = new RegExp(`^HEALTHCHECK .*--${option}=(\\d+)([ms]) `, "m").exec(file) ?? [];
    return Number(number) * (unit === "m" ? 60 : 1);
  };
  for (const file of [dockerfile, read("web/Dockerfile")]) assert.ok(seconds("interval", file) <= 10);
  assert.ok(seconds("start-period", dockerfile) >= 60 + 30); // 60 s for the database, and the startup itself
});

test("the single image's command reports that another container uses the volume", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tintype-lock-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [file, ...args] = JSON.parse(/^CMD (.+)$/m.exec(read("docker/single.Dockerfile"))?.[1] ?? "") as [string, ...string[]];
  writeFileSync(join(folder, "node"), "#!/bin/sh\necho started", { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}`, TINTYPE_DATA: folder };
  const alone = spawnSync(file, args, { env, encoding: "utf8" });
  assert.deepEqual([alone.status, alone.stdout], [0, "started\n"]);
  const second = spawnSync("flock", [join(folder, "lock"), file, ...args], { env, encoding: "utf8" });
  assert.deepEqual([second.status, second.stderr], [1, "Another container uses this volume: stop it first.\n"]);
});

test("the dashboard's image contains only production dependencies, and its build context only the files it copies", () => {
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
});
