/** Finds an installed Chromium. */

import { accessSync, closeSync, constants, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The machine to search; tests pass their own `root`. */
export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  /** Prefix of every system path. */
  root: string;
}

/**
 * Path of the Chromium to use: `configuredPath` unless empty, otherwise the first one found that isn't a snap; undefined if there is none.
 * Headless shells are preferred, because full browsers cost more than twice as much per screenshot. Doesn't start any process.
 * @throws {Error} if `configuredPath` is not an executable file.
 */
export function findChromium(configuredPath: string, machine: Machine = thisMachine()): string | undefined {
  if (configuredPath !== "") {
    const problem = executionProblem(configuredPath);
    if (problem) throw new Error(`PUPPETEER_EXECUTABLE_PATH is wrong: ${configuredPath} ${problem}.`);
    return configuredPath;
  }
  return candidates(machine).find((path) => executionProblem(path) === undefined && !isSnap(path));
}

/** A sentence on how to install Chromium on this machine. */
export function installAdvice(machine: Machine = thisMachine()): string {
  const otherwise = "or set PUPPETEER_EXECUTABLE_PATH to the path of an installed Chromium or Chrome.";
  return `${installCommand(machine)}, ${otherwise}`;
}

function thisMachine(): Machine {
  return { platform: process.platform, home: homeFolder(), root: "" };
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return "/nonexistent"; // in a container without HOME or an entry in /etc/passwd
  }
}

function candidates(machine: Machine): string[] {
  const system = systemPaths[machine.platform] ?? { shells: [], browsers: [] };
  const installed = (paths: string[]) => paths.map((path) => machine.root + path);
  return [...installed(system.shells), ...cachedShells(machine), ...installed(system.browsers)];
}

/**
 * Each binary comes before its entry in `/usr/bin`, where Debian has a shell script that keeps running: killing the script leaves the
 * browser behind.
 */
const systemPaths: Partial<Record<NodeJS.Platform, { shells: string[]; browsers: string[] }>> = {
  linux: {
    shells: [
      "/usr/lib/chromium/chromium-headless-shell",
      "/usr/lib64/chromium-browser/headless_shell",
      "/usr/lib/chromium-browser/headless_shell",
      "/usr/bin/chromium-headless-shell",
      "/usr/bin/chrome-headless-shell",
      "/usr/local/bin/chrome-headless-shell",
    ],
    browsers: [
      "/opt/google/chrome/chrome",
      "/usr/bin/google-chrome-stable",
      "/usr/bin/google-chrome",
      "/usr/lib/chromium/chromium",
      "/usr/lib64/chromium-browser/chromium-browser",
      "/usr/lib/chromium-browser/chromium-browser",
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/run/current-system/sw/bin/chromium",
    ],
  },
  darwin: {
    shells: ["/opt/homebrew/bin/chrome-headless-shell", "/usr/local/bin/chrome-headless-shell"],
    browsers: ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"],
  },
  win32: {
    shells: [],
    browsers: [
      "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
      "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
      "C:\\Program Files\\Chromium\\Application\\chrome.exe",
    ],
  },
};

/** Headless shells in Puppeteer's cache, `<platform>-<version>/chrome-headless-shell-<platform>/`, newest first. */
function cachedShells({ platform, home }: Machine): string[] {
  const folder = join(home, ".cache", "puppeteer", "chrome-headless-shell");
  const file = platform === "win32" ? "chrome-headless-shell.exe" : "chrome-headless-shell";
  return entries(folder)
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .flatMap((version) => entries(join(folder, version)).map((inner) => join(folder, version, inner, file)));
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function executionProblem(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return "is not a file";
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "is not executable" : "does not exist";
  }
}

/** A snap can't read profiles in the temporary folder. Ubuntu's `/usr/bin/chromium-browser` is a script that starts the snap. */
function isSnap(path: string): boolean {
  if (/\/snapd?(\/|$)/.test(realpathSync(path))) return true;
  const start = textStart(path);
  return start.startsWith("#!") && start.includes("/snap/");
}

function textStart(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const start = Buffer.alloc(2048);
      return start.toString("latin1", 0, readSync(file, start));
    } finally {
      closeSync(file);
    }
  } catch {
    return ""; // not readable, so it can't be a script
  }
}

function installCommand({ platform, root }: Machine): string {
  if (platform === "darwin") return "Install Google Chrome (`brew install --cask google-chrome`)";
  if (platform === "win32") return "Install Google Chrome (`winget install Google.Chrome`)";
  const managers: [string, string][] = [
    [
      "/etc/debian_version",
      isUbuntu(root)
        ? "Install Google Chrome from https://www.google.com/chrome (Chromium from a snap can't be used)"
        : "Install Chromium (`apt-get install chromium-headless-shell fonts-noto-core`)",
    ],
    ["/etc/fedora-release", "Install Chromium (`dnf install chromium-headless google-noto-sans-fonts`)"],
    ["/etc/arch-release", "Install Chromium (`pacman -S chromium noto-fonts`)"],
    ["/etc/alpine-release", "Install Chromium (`apk add chromium font-noto`)"],
  ];
  const found = managers.find(([file]) => exists(root + file));
  return found?.[1] ?? "Install Chromium, preferably the headless shell, and some fonts";
}

function isUbuntu(root: string): boolean {
  return textStart(`${root}/etc/lsb-release`).includes("Ubuntu");
}

function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}
