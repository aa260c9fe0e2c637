/** The Python client: its own tests, and its packages, against this service. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root, toolsFolder } from "../../scripts/stack/folders.ts";
import { fileScope, lastFirst } from "../support/scope.ts";
import { startReplica, startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";
import { page, signingSecretOf } from "./expected.ts";
import { samplesIn } from "./samples.ts";

const run = promisify(execFile);
const folder = join(root, "clients/python");
/** On a machine with its own index of some packages, pip would otherwise wait for the public index for each one. */
const pipEnv = { ...process.env, PIP_RETRIES: "1" };
const python = await pythonWith(["httpx==0.28.1"]).catch((error: Error) => error);
const skip = python instanceof Error ? `no Python 3.11 with httpx: ${python.message.split("\n")[0]}` : false;

test("the Python client works with and without asyncio, even when the rate limit is reached", { skip }, async () => {
  const scope = fileScope();
  const site = await createSite(scope, { "/": page });
  const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, WEBHOOK_ALLOW_HTTP: "true", SCREENSHOT_TIMEOUT: "90000" });
  await service.pool.query("update plans set rate_limit = null where id = 'free'");
  const limited = await startReplica(scope, service, { ROLE: "api", RATE_LIMIT_MAX_REQUESTS: "1", RATE_LIMIT_WINDOW_MS: "3000" });
  const { key } = await service.createAccount();
  const env = {
    TINTYPE_URL: service.origin,
    TINTYPE_KEY: key,
    TINTYPE_SECRET: await signingSecretOf(service, key),
    TINTYPE_PAGE: `${site.origin}/`,
    LIMITED_URL: limited.origin,
    LIMITED_KEY: (await service.createAccount({ plan: "free" })).key,
    PYTHONDONTWRITEBYTECODE: "1",
  };
  await run(String(python), ["-W", "error", "-m", "unittest", "tests.test_client"], { cwd: folder, env }).catch(({ stderr }) =>
    assert.fail(stderr),
  );
});

test("the Python client raises errors for responses that Tintype never sends", { skip }, async () => {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
  await run(String(python), ["-W", "error", "-m", "unittest", "tests.test_odd_answers"], { cwd: folder, env }).catch(({ stderr }) =>
    assert.fail(stderr),
  );
});

test("pyright accepts the Python client and the samples on all pages", {
  skip,
}, async (t) => {
  const pyright = join(root, "node_modules/pyright/index.js");
  const temporary = await mkdtemp(join(tmpdir(), "tintype-samples-"));
  t.after(() => rm(temporary, { recursive: true, force: true }));
  const samples = await samplesIn("python");
  assert.ok(samples.has("docs/using.md") && samples.has("clients/python/README.md"));
  for (const [page, text] of samples)
    await writeFile(join(temporary, `${page.replace(/\W/g, "_")}.py`), `# pyright: basic\nkey = ""\n${text}`);
  const include = [join(folder, "tintype"), join(folder, "tests"), temporary];
  const project = join(temporary, "pyrightconfig.json");
  await writeFile(project, JSON.stringify({ extends: join(folder, "pyproject.toml"), include, extraPaths: [folder] }));
  await run(process.execPath, [pyright, "--project", project, "--pythonpath", String(python)], { cwd: folder }).catch(
    ({ stdout, stderr }) => assert.fail(stdout + stderr),
  );
});

for (const kind of ["wheel", "source distribution"] as const)
  test(`the ${kind} installs into a new environment with types and license, and the program in its README runs as printed`, async (t) => {
    const builder = await pythonWith(["build==1.6.1"]).catch((error: Error) => error);
    if (builder instanceof Error) return t.skip(`no build front end: ${builder.message.split("\n")[0]}`);
    const scope = lastFirst(t);
    const temporary = await mkdtemp(join(tmpdir(), "tintype-python-"));
    scope.after(() => rm(temporary, { recursive: true, force: true }));
    const source = join(temporary, "source");
    await cp(folder, source, { recursive: true, filter: (path) => !/__pycache__|\bdist$/.test(path) });
    await run(builder, ["-m", "build", kind === "wheel" ? "--wheel" : "--sdist", source], { timeout: 120_000, env: pipEnv });
    const [built = ""] = await readdir(join(source, "dist"));
    assert.match(built, kind === "wheel" ? /^tintype_client-[\da-z.]+-py3-none-any\.whl$/ : /^tintype_client-[\da-z.]+\.tar\.gz$/);
    const environment = join(temporary, "environment");
    await run(systemPython(), ["-m", "venv", environment]);
    const program = join(environment, "bin/python");
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"];
    await run(program, [...install, join(source, "dist", built)], { timeout: 120_000, env: pipEnv });
    await rm(source, { recursive: true });
    const asked = `import importlib.metadata as m; print(m.version("tintype-client"), *sorted(str(f) for f in m.files("tintype-client")))`;
    const { stdout: installed } = await run(program, ["-c", asked]);
    const readVersion = /^version = "(.*)"$/m.exec(await readFile(join(folder, "pyproject.toml"), "utf8"))?.[1];
    assert.ok(installed.startsWith(`${readVersion} `), installed);
    for (const file of ["tintype/py.typed", "tintype/api_types.py", "licenses/LICENSE"]) assert.ok(installed.includes(file), installed);
    assert.doesNotMatch(installed, /tests\//);

    const site = await createSite(scope, { "/": page });
    const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, SCREENSHOT_TIMEOUT: "90000" });
    const { key } = await service.createAccount();
    const sample = (await samplesIn("python")).get("clients/python/README.md") ?? "";
    const adapted = sample
      .replaceAll("https://screenshots.example.com", service.origin)
      .replaceAll(/https:\/\/example\.(com|org)/g, site.origin);
    await writeFile(join(temporary, "main.py"), `key = ${JSON.stringify(key)}\n${adapted}`);
    const { stdout } = await run(program, ["-W", "error", "main.py"], { cwd: temporary });
    assert.match(stdout, /^[0-9a-f-]{36} ok \[\] \d+\n/);
    assert.match(stdout, /\n2 of 2\n$/);
  });

function systemPython(): string {
  return existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

/** An environment with only these packages, created once. @throws {Error} without Python, its venv module, or a registry. */
async function pythonWith(packages: string[]): Promise<string> {
  const environment = join(toolsFolder, `python-${packages.join("-").replace(/[^\w.-]+/g, "-")}`);
  const program = join(environment, "bin/python");
  if (existsSync(program)) return program;
  const system = systemPython();
  await run(system, ["-c", "import sys; assert sys.version_info >= (3, 11), sys.version"]);
  const temporary = `${environment}.${process.pid}`;
  await mkdir(toolsFolder, { recursive: true });
  try {
    await run(system, ["-m", "venv", temporary]);
    await run(join(temporary, "bin/python"), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages], {
      timeout: 120_000,
      env: pipEnv,
    });
    await rename(temporary, environment).catch((error) => {
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return program;
}
