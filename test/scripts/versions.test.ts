/** One version for all packages, images and documents, and the release notes. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { root } from "../../scripts/stack/folders.ts";
import { currentVersion, releaseNotes, setVersion, versionProblems, withCompleteLinks } from "../../scripts/versions.ts";

const files = [
  ...["package.json", "package-lock.json", "web/package.json", "web/package-lock.json"],
  ...["clients/typescript/package.json", "clients/typescript/README.md", "clients/python/pyproject.toml"],
  ...[
    "charts/tintype/Chart.yaml",
    "openapi.yaml",
    "Dockerfile",
    "web/Dockerfile",
    "docker/single.Dockerfile",
    "CITATION.cff",
    "CHANGELOG.md",
  ],
];

function copy(t: TestContext, changelog?: string) {
  const folder = mkdtempSync(join(tmpdir(), "tintype-versions-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const file of files) cpSync(join(root, file), join(folder, file));
  if (changelog !== undefined) writeFileSync(join(folder, "CHANGELOG.md"), changelog);
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  return { folder, read };
}

test("all packages, images and documents in this checkout have the same version", () => {
  assert.deepEqual(versionProblems(root), []);
});

test("a new version is written everywhere, and a file with a different version is reported", (t) => {
  const { folder, read } = copy(t, "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [1.0.0] - 2026-01-01\n\n- All.\n");
  setVersion(folder, "7.8.9-rc.10", "2026-11-25");
  assert.deepEqual(versionProblems(folder), []);
  assert.equal(currentVersion(folder), "7.8.9-rc.10");
  assert.match(read("clients/python/pyproject.toml"), /^version = "7\.8\.9rc10"$/m);
  assert.match(read("charts/tintype/Chart.yaml"), /^appVersion: 7\.8\.9-rc\.10$/m);
  assert.match(read("CHANGELOG.md"), /^## \[Unreleased\]\n\n## \[7\.8\.9-rc\.10\] - 2026-11-25\n\n### Added\n\n- A thing\.$/m);
  for (const file of files.slice(1, -1)) {
    const text = read(file);
    writeFileSync(join(folder, file), text.replace(/7\.8\.9(-rc\.|rc)10/, "7.8.8"));
    assert.match(versionProblems(folder).join(), new RegExp(`^${file.replaceAll(".", "\\.")} names the version 7\\.8\\.8`));
    writeFileSync(join(folder, file), text);
  }
  setVersion(folder, "7.8.9-rc.10", "2026-11-26");
  assert.match(read("CHANGELOG.md"), /^## \[Unreleased\]\n\n## \[7\.8\.9-rc\.10\] - 2026-11-26\n\n### Added$/m);
});

test("a version that Python doesn't support, or a release without notes, changes nothing", (t) => {
  const { folder, read } = copy(t, "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-01-01\n\n- All.\n");
  for (const version of ["v1.0.0", "1.0", "01.0.0", "1.0.0-next.1", "1.0.0-rc.1+build"])
    assert.throws(() => setVersion(folder, version, "2026-11-25"), /is not a version/);
  assert.throws(() => setVersion(folder, "2.0.0", "2026-11-25"), /describes nothing under \[Unreleased\]/);
  for (const file of files.slice(0, -1)) assert.equal(read(file), readFileSync(join(root, file), "utf8"));
});

test("release notes are the changelog's section with absolute links, as are packed READMEs", (t) => {
  const section = "### Fixed\n\n- A [page](docs/a.md#b), an [address](https://example.com/c).";
  const { folder } = copy(
    t,
    `# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.0.1] - 2026-02-01\n\n${section}\n\n## [1.0.0]\n\n- All.\n`,
  );
  assert.equal(releaseNotes(folder, "1.0.0"), "- All.\n");
  const linked = section.replace("docs/a.md", "https://forge.example/t/blob/v1.0.1/docs/a.md");
  assert.equal(releaseNotes(folder, "1.0.1", "https://forge.example/t/blob/v1.0.1"), `${linked}\n`);
  const readme = "[a](../../docs/a.md#b), [b](#errors), [c](https://example.com/)";
  assert.equal(
    withCompleteLinks(readme, "https://forge.example/t/blob/v1/clients/python"),
    "[a](https://forge.example/t/blob/v1/docs/a.md#b), [b](#errors), [c](https://example.com/)",
  );
  assert.throws(() => releaseNotes(folder, "2.0.0"), /no section for 2\.0\.0/);
});
