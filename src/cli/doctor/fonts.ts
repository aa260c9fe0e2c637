/** Finds the writing systems for which this machine has no fonts. Chromium draws boxes in place of their characters. */

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";

/** Writing systems for which many machines lack fonts, as fontconfig patterns. */
const scripts = {
  Chinese: ":lang=zh-cn",
  Japanese: ":lang=ja",
  Korean: ":lang=ko",
  Arabic: ":lang=ar",
  Hindi: ":lang=hi",
  emoji: ":charset=1f389", // not a face such as U+1F600, which DejaVu has in black and white
};

export const checkedScripts = Object.keys(scripts);

/** How to install fonts for all scripts. */
export const fontAdvice =
  "Install fonts, for example on Debian and Ubuntu: sudo apt-get install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji";

const listTimeoutMs = 10_000;
const folders = ["/usr/share/fonts", "/usr/local/share/fonts"];

/**
 * Takes a few milliseconds, or seconds if fontconfig has not read the fonts before. Never rejects.
 * @returns names from `checkedScripts`; undefined if `fc-list` fails, unless this is a Linux machine without any fonts.
 */
export async function missingFonts(env: NodeJS.ProcessEnv): Promise<string[] | undefined> {
  const listEnv = { ...env, LD_LIBRARY_PATH: undefined }; // may be set for a downloaded Chromium
  const missing = await Promise.all(
    Object.entries(scripts).map(async ([script, pattern]) => {
      const { stdout } = await promisify(execFile)("fc-list", [pattern, "family"], { env: listEnv, timeout: listTimeoutMs });
      return stdout.trim() === "" ? [script] : [];
    }),
  ).catch(() => undefined);
  if (missing) return missing.flat();
  return process.platform === "linux" && !(await hasFontFiles()) ? checkedScripts : undefined;
}

async function hasFontFiles(): Promise<boolean> {
  const lists = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])));
  return lists.flat().some((file) => /\.(ttf|otf|ttc|otc|pf[ab])(\.gz)?$/i.test(file));
}
