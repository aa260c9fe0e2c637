/** The Python client: its own tests, against this service. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root, toolsFolder } from "../../scripts/stack/folders.ts";
import { fileScope } from "../support/scope.ts";
import { startReplica, startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";
import { page, signingSecretOf } from "./expected.ts";
import { samplesIn } from "./samples.ts";

const run = promisify(execFile);
const packages = ["httpx==0.28.1"];
const folder = join(root, "clients/python");
const python = await pythonWithPackages().catch((error: Error) => error);
const skip = python instanceof Error ? `no Python 3.11 with ${packages}: ${python.message.split("\n")[0]}` : false;

test("both faces of the Python client work, also when the rate limit is reached", { skip }, async () => {
  const scope = fileScope();
  const site = await createSite(scope, { "/": page });
  const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, SCREENSHOT_TIMEOUT: "90000" });
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

test("answers that no Tintype gives are errors of the Python client", { skip }, async () => {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
  await run(String(python), ["-W", "error", "-m", "unittest", "tests.test_odd_answers"], { cwd: folder, env }).catch(({ stderr }) =>
    assert.fail(stderr),
  );
});

test("the Python client's types are right, and so are those that it gives to programs, such as the samples of all pages", {
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

/** Its own environment, made once. @throws {Error} without Python, its venv, or a registry. */
async function pythonWithPackages(): Promise<string> {
  const environment = join(toolsFolder, `python-${packages.join("-").replace(/[^\w.-]+/g, "-")}`);
  const program = join(environment, "bin/python");
  if (existsSync(program)) return program;
  const system = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  await run(system, ["-c", "import sys; assert sys.version_info >= (3, 11), sys.version"]);
  const temporary = `${environment}.${process.pid}`;
  await mkdir(toolsFolder, { recursive: true });
  try {
    await run(system, ["-m", "venv", temporary]);
    await run(join(temporary, "bin/python"), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages], {
      timeout: 120_000,
    });
    await rename(temporary, environment).catch((error) => {
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return program;
}
