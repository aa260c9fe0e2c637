/** What happens with each command of a program that was lent a browser: passed on, answered here, or refused. */

import { allowedMethods } from "./methods.ts";

export interface Command {
  id: number;
  method: string;
  params: Record<string, unknown>;
  sessionId?: string;
}

export type Judgement =
  | { kind: "pass"; params: Record<string, unknown> }
  /** Succeeds without being passed on. */
  | { kind: "answer" }
  /** Ends the connection after a success. */
  | { kind: "close" }
  | { kind: "refuse"; message: string };

const refuse = (message: string): Judgement => ({ kind: "refuse", message });

type Rule = (params: Record<string, unknown>) => Judgement | undefined;

/** Chromium reads so much at most at once, if the size is left out, too. */
const streamReadMax = 10 * 1024 * 1024;

/** Those that give a page nothing of the machine, such as its cameras, or of its files. */
const permissions = new Set(
  "accessibilityEvents backgroundFetch backgroundSync clipboardReadWrite clipboardSanitizedWrite durableStorage geolocation idleDetection notifications periodicBackgroundSync sensors storageAccess topLevelStorageAccess wakeLockScreen".split(
    " ",
  ),
);

/** Commands that succeed without effect: programs send them on their own, and would fail without an answer. */
const unanswered: Record<string, Rule> = {
  // Downloads stay denied, in every context.
  "Browser.setDownloadBehavior": () => ({ kind: "answer" }),
  "Page.setDownloadBehavior": () => ({ kind: "answer" }),
  // Certificates are verified all the same.
  "Security.setIgnoreCertificateErrors": () => ({ kind: "answer" }),
  "Browser.close": () => ({ kind: "close" }),
};

/** What is wrong with the parameters of a command that is allowed otherwise, or what replaces them. */
const rules: Record<string, Rule> = {
  ...unanswered,
  "Page.navigate": (params) => withUrl(params),
  "Target.createTarget": (params) => (params.url === "" ? undefined : withUrl(params)),
  "Fetch.continueRequest": (params) => (params.url === undefined ? undefined : withUrl(params)),
  "Target.attachToTarget": flattened,
  "Target.setAutoAttach": (params) => (params.autoAttach === false ? undefined : flattened(params)),
  "Target.createBrowserContext": (params) => {
    const other = Object.keys(params).find((name) => name !== "disposeOnDetach");
    return other === undefined
      ? undefined
      : refuse(`${other} is not accepted: all contexts have the network and the rights of this browser.`);
  },
  "Browser.grantPermissions": ({ permissions: wanted }) => {
    const other = Array.isArray(wanted) ? wanted.find((name) => !permissions.has(name)) : undefined;
    return other === undefined ? undefined : refuse(`The permission ${String(other).slice(0, 50)} can't be granted here.`);
  },
  "Input.dispatchDragEvent": ({ data }) => {
    const { files } = Object(data) as { files?: unknown };
    return files === undefined || (Array.isArray(files) && files.length === 0)
      ? undefined
      : refuse("Files of the machine can't be dropped.");
  },
  "IO.read": ({ size }) =>
    size === undefined || (typeof size === "number" && size <= streamReadMax) ? undefined : refuse(`size is at most ${streamReadMax}.`),
};

/** @param command parsed from the message; what is passed on is written anew, so that Chromium reads what was judged here. */
export function judge({ method, params }: Command): Judgement {
  const rule = Object.hasOwn(rules, method) ? rules[method] : undefined;
  if (rule === undefined && !allowedMethods.has(method))
    return refuse(`${method.slice(0, 80)} is not available: this browser is lent with the commands that act on its own pages.`);
  return rule?.(params) ?? { kind: "pass", params };
}

/** Flattened sessions alone: in nested ones, commands are texts within commands. */
function flattened({ flatten }: Record<string, unknown>): Judgement | undefined {
  return flatten === true ? undefined : refuse("flatten must be true: commands of nested sessions are not accepted.");
}

/** What is no URL at all is answered as Chromium does: programs look for it. */
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
 * A URL that leads nowhere but to the network, or to what its text or the page has; undefined for all others, such as `file:`, `chrome:` and
 * `about:version`. As parsed here, so that Chromium has nothing to interpret.
 */
export function openableUrl(text: unknown): string | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (!url) return undefined;
  if (url.protocol === "about:") return url.pathname === "blank" ? url.href : undefined;
  if (url.protocol === "blob:") return /^blob:(https?:|null)/.test(url.href) ? url.href : undefined;
  return /^(https?|data):$/.test(url.protocol) ? url.href : undefined;
}

/** A target that a program may be attached to; others, such as Chromium's own pages, have rights that web pages don't have. */
export function isOwnTarget(url: string): boolean {
  return url === "" || /^(https?|data|blob|about|chrome-error):/.test(url);
}
