/** Decides whether a command to a lent browser is forwarded, acknowledged here, or refused. */

import { allowedMethods } from "./methods.ts";

export interface ClientCommand {
  id: number;
  method: string;
  params: Record<string, unknown>;
  sessionId?: string;
}

export type Judgement =
  | { kind: "pass"; params: Record<string, unknown> }
  /** Acknowledged with success, but not forwarded. */
  | { kind: "answer" }
  /** Acknowledged with success, after which the connection is closed. */
  | { kind: "close" }
  | { kind: "refuse"; message: string };

const refuse = (message: string): Judgement => ({ kind: "refuse", message });

type Rule = (params: Record<string, unknown>) => Judgement | undefined;

/** Chromium's maximum per read, also its default, in bytes. */
const streamReadMax = 10 * 1024 * 1024;

/** Permissions that don't expose the machine's files or devices, such as cameras. */
const permissions = new Set(
  "accessibilityEvents backgroundFetch backgroundSync clipboardReadWrite clipboardSanitizedWrite durableStorage geolocation idleDetection notifications periodicBackgroundSync sensors storageAccess topLevelStorageAccess wakeLockScreen".split(
    " ",
  ),
);

/** Commands that are acknowledged but not carried out: client libraries send them by default and fail on an error. */
const acknowledged: Record<string, Rule> = {
  // Downloads stay denied, in every context.
  "Browser.setDownloadBehavior": () => ({ kind: "answer" }),
  "Page.setDownloadBehavior": () => ({ kind: "answer" }),
  // Certificates are still verified.
  "Security.setIgnoreCertificateErrors": () => ({ kind: "answer" }),
  "Browser.close": () => ({ kind: "close" }),
};

/** Rules for acknowledged commands, and rules that check or rewrite the parameters of allowed ones. */
const rules: Record<string, Rule> = {
  ...acknowledged,
  "Page.navigate": (params) => withUrl(params),
  "Target.createTarget": (params) => (params.url === "" ? undefined : withUrl(params)),
  "Fetch.continueRequest": (params) => (params.url === undefined ? undefined : withUrl(params)),
  "Target.attachToTarget": flattened,
  "Target.setAutoAttach": (params) => (params.autoAttach === false ? undefined : flattened(params)),
  "Target.createBrowserContext": (params) => {
    const other = Object.keys(params).find((name) => name !== "disposeOnDetach");
    return other === undefined
      ? undefined
      : refuse(`${other} is not accepted: all contexts share the network access and the permissions of this browser.`);
  },
  "Browser.grantPermissions": ({ permissions: wanted }) => {
    const other = Array.isArray(wanted) ? wanted.find((name) => !permissions.has(name)) : undefined;
    return other === undefined ? undefined : refuse(`The permission ${String(other).slice(0, 50)} can't be granted here.`);
  },
  "Input.dispatchDragEvent": ({ data }) => {
    const { files } = Object(data) as { files?: unknown };
    return files === undefined || (Array.isArray(files) && files.length === 0) ? undefined : refuse("Local files can't be dropped.");
  },
  "IO.read": ({ size }) =>
    size === undefined || (typeof size === "number" && size <= streamReadMax) ? undefined : refuse(`size may be at most ${streamReadMax}.`),
};

/** The parsed command is reserialized before it is forwarded, so that Chromium parses exactly what was checked here. */
export function judgeCommand({ method, params }: ClientCommand): Judgement {
  const rule = Object.hasOwn(rules, method) ? rules[method] : undefined;
  if (rule === undefined && !allowedMethods.has(method))
    return refuse(`${method.slice(0, 80)} is not available: a lent browser accepts only commands that act on its own pages.`);
  return rule?.(params) ?? { kind: "pass", params };
}

/** Allows only flattened sessions: in nested ones, commands are strings inside other commands, which would bypass the checks. */
function flattened({ flatten }: Record<string, unknown>): Judgement | undefined {
  return flatten === true ? undefined : refuse("flatten must be true: commands of nested sessions are not accepted.");
}

/** Replaces `url` with its normalized form. Malformed URLs are refused with Chromium's wording, which client libraries match. */
function withUrl(params: Record<string, unknown>): Judgement {
  const url = openableUrl(params.url);
  if (url === undefined) {
    const isNone = typeof params.url === "string" && !URL.canParse(params.url);
    return refuse(
      `${isNone ? "Cannot navigate to invalid URL: " : ""}url must be an absolute http, https, data or blob URL, or about:blank.`,
    );
  }
  return { kind: "pass", params: { ...params, url } };
}

/**
 * The normalized URL if it refers to the network, to inline data or to the page's own blobs; undefined for all others, such as `file:`,
 * `chrome:` and `about:version`. Normalized so that Chromium can't parse it differently.
 */
export function openableUrl(text: unknown): string | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (!url) return undefined;
  if (url.protocol === "about:") return url.pathname === "blank" ? url.href : undefined;
  if (url.protocol === "blob:") return /^blob:(https?:|null)/.test(url.href) ? url.href : undefined;
  return /^(https?|data):$/.test(url.protocol) ? url.href : undefined;
}

/** Whether a client may attach to the target. Other targets, such as Chromium's own pages, have more privileges than web pages. */
export function isOwnTarget(url: string): boolean {
  return url === "" || /^(https?|data|blob|about|chrome-error):/.test(url);
}
