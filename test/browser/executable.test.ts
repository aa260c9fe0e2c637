/** Which installed Chromium is chosen. */

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { findChromium, installAdvice, type Machine } from "../../src/browser/executable.ts";

/** A machine with a temporary root folder; `executables` are paths in it. */
function machineWith(t: TestContext, executables: string[], platform: NodeJS.Platform = "linux"): Machine {
  const root = mkdtempSync(join(tmpdir(), "tintype-machine-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const path of executables) write(root + path, "", 0o755);
  return { platform, home: join(root, "home"), root };
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

const debianShell = "/usr/lib/chromium/chromium-headless-shell";
const debianScript = "/usr/bin/chromium-headless-shell";
const cached = (version: string) =>
  `/home/.cache/puppeteer/chrome-headless-shell/linux-${version}/chrome-headless-shell-linux64/chrome-headless-shell`;

test("a configured path is preferred to any installed Chromium", (t) => {
  const machine = machineWith(t, [debianShell, "/opt/mine"]);
  assert.equal(findChromium(`${machine.root}/opt/mine`, machine), `${machine.root}/opt/mine`);
});

test("a configured path that is not executable is an error", (t) => {
  const machine = machineWith(t, [debianShell]);
  assert.throws(() => findChromium("/does/not/exist", machine), /PUPPETEER_EXECUTABLE_PATH is wrong: \/does\/not\/exist does not exist/);
  assert.throws(() => findChromium(machine.root, machine), / is not a file\./);
  write(`${machine.root}/plain`, "");
  assert.throws(() => findChromium(`${machine.root}/plain`, machine), /plain is not executable\./);
});

test("headless shell binaries come before scripts, and both before full browsers", (t) => {
  const all = [debianShell, debianScript, cached("130.0.1.2"), "/opt/google/chrome/chrome", "/usr/bin/chromium"];
  for (const [index, expected] of all.entries()) {
    const machine = machineWith(t, all.slice(index).reverse());
    assert.equal(findChromium("", machine), machine.root + expected);
  }
});

test("the newest of several headless shells in Puppeteer's cache is chosen", (t) => {
  const machine = machineWith(t, [cached("99.0.1.2"), cached("156.0.8078.47"), cached("156.0.8078.5")]);
  assert.equal(findChromium("", machine), machine.root + cached("156.0.8078.47"));
});

test("on a machine without Chromium, none is found", (t) => {
  const machine = machineWith(t, ["/usr/bin/firefox"]);
  write(`${machine.root}${debianShell}`, "not executable");
  assert.equal(findChromium("", machine), undefined);
  assert.equal(findChromium("", { ...machine, platform: "aix" }), undefined);
});

test("snaps are skipped, even behind a script or a symlink", (t) => {
  const machine = machineWith(t, ["/snap/bin/chromium"]);
  write(`${machine.root}/usr/bin/chromium-browser`, "#!/bin/sh\nexec /snap/bin/chromium\n", 0o755);
  symlinkSync(`${machine.root}/snap/bin/chromium`, `${machine.root}/usr/bin/chromium`);
  assert.equal(findChromium("", machine), undefined);
  write(`${machine.root}/opt/google/chrome/chrome`, "", 0o755);
  assert.equal(findChromium("", machine), `${machine.root}/opt/google/chrome/chrome`);
});

test("the installation advice fits the operating system", (t) => {
  const debian = machineWith(t, []);
  write(`${debian.root}/etc/debian_version`, "12");
  assert.match(installAdvice(debian), /`apt-get install chromium-headless-shell fonts-noto-core`/);
  write(`${debian.root}/etc/lsb-release`, "DISTRIB_ID=Ubuntu");
  assert.match(installAdvice(debian), /Google Chrome from/);
  assert.match(installAdvice(machineWith(t, [], "darwin")), /brew install/);
  for (const platform of ["linux", "darwin", "win32"] as const)
    assert.match(installAdvice(machineWith(t, [], platform)), /PUPPETEER_EXECUTABLE_PATH/);
});
