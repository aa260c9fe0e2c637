/**
 * Defines which folders and packages each folder of `src` may import, and checks these rules. dependency-cruiser would do the same, but
 * needs TypeScript's JavaScript API, which version 7 doesn't have.
 */

import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

interface Rule {
  /** Folders or files of `src`, without `src/`. Files in the same folder are always allowed. */
  imports: readonly string[];
  /** Packages, including their subpaths. `node:` modules are always allowed. */
  packages?: readonly string[];
}

/** Packages that any folder may use. */
const commonPackages = ["pino", "uuid", "zod"];

/** The folders of `src`, bottom layer first: each imports only folders listed above it, so there are no cycles. */
const folders: Record<string, Rule> = {
  shared: { imports: [], packages: ["sharp", "tldts"] },
  database: { imports: ["shared"], packages: ["pg", "node-pg-migrate"] },
  egress: { imports: [] },
  settings: { imports: ["shared", "database/database.ts", "egress/address-policy.ts"], packages: ["@fastify/env", "fastify"] },
  telemetry: { imports: ["shared", "settings"], packages: ["prom-client", "@opentelemetry"] },
  mail: { imports: ["shared", "telemetry"], packages: ["nodemailer"] },
  storage: {
    imports: ["shared", "database", "settings/config.ts", "settings/storage-folder.ts"],
    packages: ["@aws-sdk/client-s3", "lru-cache", "pg", "sharp"],
  },
  jobs: { imports: ["shared", "database", "telemetry"], packages: ["pg-boss"] },
  webhooks: { imports: ["shared", "database", "telemetry", "jobs/queue.ts"], packages: ["standardwebhooks"] },
  sitemaps: { imports: ["shared"], packages: ["saxes"] },
  comparison: { imports: ["shared"], packages: ["@blazediff/core", "sharp"] },
  mcp: { imports: ["shared"], packages: ["@modelcontextprotocol/sdk"] },
  accounts: {
    imports: ["shared", "database", "settings/config.ts", "telemetry", "mail"],
    packages: [
      "@better-auth",
      "@polar-sh/sdk",
      "@simplewebauthn/server",
      "better-auth",
      "ioredis",
      "lru-cache",
      "pg",
      "rate-limiter-flexible",
      "tldts",
    ],
  },
  browser: {
    imports: ["shared", "telemetry/metrics.ts"],
    packages: ["devtools-protocol", "generic-pool", "puppeteer-core"],
  },
  cdp: { imports: ["shared", "accounts", "telemetry", "browser/guest.ts", "browser/cdp-browsers.ts", "browser/tab.ts"], packages: ["ws"] },
  capture: {
    imports: [
      "shared",
      "telemetry",
      "browser/tab.ts",
      "browser/own-world.ts",
      "browser/children.ts",
      "browser/slots.ts",
      "browser/chromium-errors.ts",
    ],
    packages: ["@ghostery/adblocker", "devtools-protocol", "set-cookie-parser", "sharp", "tldts"],
  },
  screenshots: {
    imports: [
      ...["shared", "database/database.ts", "telemetry", "storage", "jobs/queue.ts", "sitemaps", "comparison", "accounts"],
      ...["capture/option-group.ts", "capture/options.ts", "capture/outputs.ts", "capture/request.ts", "capture/verdict/verdict.ts"],
    ],
    packages: ["ioredis", "lru-cache"],
  },
  watches: {
    imports: ["shared", "database/database.ts", "storage", "jobs/queue.ts", "webhooks/emit.ts", "comparison", "accounts", "screenshots"],
    packages: ["croner"],
  },
  http: {
    imports: [
      ...["shared", "database/database.ts", "settings", "telemetry", "mail", "storage", "webhooks", "sitemaps", "comparison", "mcp"],
      ...["accounts", "cdp", "capture/options.ts", "capture/verdict/verdict.ts", "screenshots", "watches"],
    ],
    packages: [
      ...["@fastify", "@modelcontextprotocol/sdk", "content-disposition", "fastest-levenshtein", "fastify", "lru-cache", "ws", "yaml"],
      "yazl",
    ],
  },
  start: {
    imports: [
      ...["shared", "database", "egress", "settings", "telemetry", "mail", "storage", "jobs", "webhooks", "sitemaps", "comparison"],
      ...["mcp", "accounts", "browser", "cdp", "capture", "screenshots", "watches", "http"],
    ],
    packages: ["fastify", "ioredis", "pg"],
  },
  cli: {
    imports: [
      ...["shared", "database", "settings", "telemetry", "storage", "mcp", "accounts", "browser"],
      ...["start/network.ts", "start/open-browsers.ts", "start/redis.ts"],
    ],
    packages: ["@modelcontextprotocol/sdk", "pg"],
  },
  "cli.ts": { imports: ["shared", "database", "settings", "cli"] },
  "server.js": { imports: ["start"] },
};

interface Exception {
  /** Folder of `src`, or a single file. */
  of: string;
  reason: string;
  /** Additional folders and files that it may import. */
  also?: readonly string[];
  /** Folders and files that it may not import. "*" stands for everything. */
  never?: readonly string[];
  /** The only folders and files outside `of` that it may import; by default, everything that its folder may import. */
  only?: readonly string[];
}

const exceptions: readonly Exception[] = [
  {
    of: "accounts/destinations",
    also: ["storage/bucket.ts", "storage/read-stored.ts", "storage/store.ts", "webhooks"],
    reason: "Copies are deliveries: the queue of the webhooks makes them, from stored files.",
  },
  {
    of: "capture/in-page",
    never: ["*"],
    reason: "A function that runs in the page is serialized: nothing that it imports would be there.",
  },
  {
    of: "capture/options",
    also: ["browser/client-hints.ts"],
    never: [
      "browser/slots.ts",
      "capture/options",
      "capture/options.ts",
      "capture/capture.ts",
      "capture/loading/navigate.ts",
      "capture/image",
    ],
    reason: "An option group works on the page through the Tab: it imports neither other groups nor the pipeline that calls it.",
  },
  {
    of: "capture/image",
    only: ["capture/in-page", "browser/tab.ts", "shared"],
    reason: "An image is rendered from its ImageSpec alone: the code knows neither the options nor the pipeline that calls it.",
  },
  {
    of: "capture/verdict",
    only: ["capture/in-page", "shared"],
    reason: "A verdict depends on facts about the page alone.",
  },
  {
    of: "start/services.ts",
    never: ["http", "egress"],
    reason: "The services know neither the HTTP side, which gets them as arguments, nor the egress filter, which browsers.ts connects.",
  },
];

/** The client also runs where there is no Node; its command uses the client and Node's own modules. */
const clients = [
  { folder: "clients/typescript/src", allowed: /^\.\/[^/]+\.ts$/ },
  { folder: "clients/typescript/src/command", allowed: /^(\.\.?\/[^/]+\.ts|node:.+)$/ },
];

/** Matches import and export statements and import() calls, also of types. Because the code is formatted, a pattern is enough. */
const imported = /^(?:import|export|\}) [^"'\n]*?from "([^"\n]+)"|^import "([^"\n]+)"|\bimport\("([^"\n]+)"\)/gm;

/** Specifiers of all modules that `code` imports, in order. */
export function importsOf(code: string): string[] {
  return [...code.matchAll(imported)].map(([, from, alone, call]) => from ?? alone ?? call ?? "");
}

const isIn = (path: string, places: readonly string[]) => places.some((place) => path === place || path.startsWith(`${place}/`));

function problemOf(file: string, specifier: string): string | undefined {
  const own = file.slice("src/".length);
  const folder = own.split("/")[0] ?? "";
  const rule = folders[folder];
  if (!rule) return `${file}: ${folder} is not listed in scripts/import-rules.ts`;
  const restrictions = exceptions.filter(({ of }) => isIn(own, [of]));
  const refused = (reason: string) => `${file} imports ${specifier}: ${reason}`;
  const target = specifier.startsWith(".") ? posix.join(posix.dirname(own), specifier) : specifier;
  const isBeyond = (places: readonly string[]) => specifier.startsWith(".") && !isIn(target, places);
  const forbidding = restrictions.find(
    ({ of, never = [], only }) => never.includes("*") || isIn(target, never) || (only && isBeyond([of, ...only])),
  );
  if (forbidding) return refused(forbidding.reason);
  if (specifier.startsWith("node:")) return;
  if (!specifier.startsWith(".")) {
    return isIn(target, [...commonPackages, ...(rule.packages ?? [])]) ? undefined : refused(`${folder} may not use this package.`);
  }
  if (target.startsWith("..")) {
    return target === "../package.json" ? undefined : refused("src imports only its own files and packages.");
  }
  const also = restrictions.flatMap((restriction) => restriction.also ?? []);
  if (target.split("/")[0] === folder || isIn(target, [...rule.imports, ...also])) return;
  return refused(`${folder} may import ${rule.imports.join(", ") || "no other folder"}.`);
}

/**
 * One message for each import that the rules above don't allow.
 * @param code source text by path, such as "src/http/mcp.ts".
 */
export function importProblems(code: Readonly<Record<string, string>>): string[] {
  return Object.entries(code).flatMap(([file, text]) => {
    const client = clients.find(({ folder }) => posix.dirname(file) === folder);
    return importsOf(text).flatMap((specifier) => {
      if (file.startsWith("src/")) return problemOf(file, specifier) ?? [];
      return client && !client.allowed.test(specifier) ? `${file} imports ${specifier}: the client has no dependencies.` : [];
    });
  });
}

/** Folders that the table allows to import a folder that isn't listed before them. */
export function tableProblems(): string[] {
  const listed = Object.keys(folders);
  return listed.flatMap((folder, index) =>
    (folders[folder]?.imports ?? [])
      .filter((place) => !listed.slice(0, index).includes(place.split("/")[0] ?? ""))
      .map((place) => `${folder} may import ${place}, which is not listed above it`),
  );
}

/** The files of `root` that the rules cover, with their text. */
export function readCode(root: string): Record<string, string> {
  const files = globSync(["src/**/*.{ts,js}", "clients/typescript/src/**/*.ts"], { cwd: root });
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}
