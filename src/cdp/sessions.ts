/** Opens sessions with lent browsers, and ends all of them at shutdown. */

import { v7 } from "uuid";
import type { WebSocket } from "ws";
import type { ApiKey } from "../accounts/keys/caller.ts";
import type { LentBrowsers, PageHooks } from "../browser/cdp-browsers.ts";
import type { Tab } from "../browser/tab.ts";
import { onAbort, untilAborted, withDeadline } from "../shared/deadline.ts";
import { AppError } from "../shared/errors.ts";
import { type SessionParts, serve } from "./session.ts";

interface SessionsParts extends SessionParts {
  /** @param names filter lists, such as `ads`. @throws {AppError} `unavailable` if the lists are not installed. */
  createBlocker(names: string[]): Promise<PageHooks>;
  /**
   * Opens a page session. The returned function restores the session's state in the page's context.
   * @throws {AppError} `invalid_parameters` if the session doesn't exist or can't be decrypted; `domain_not_allowed`.
   */
  openPageSession(key: ApiKey, name: string): Promise<(page: Tab) => Promise<unknown>>;
}

interface Wanted {
  key: ApiKey;
  keyText: string;
  timeoutMs: number;
  /** Filter lists, such as `ads`, that are applied to the browser's pages. */
  block: string[];
  /** Name of the page session that the browser starts with. */
  session: string | undefined;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

const restoreMaxMs = 30_000;

function notRestored(): never {
  throw new AppError("unavailable", { message: "The session could not be restored in time." });
}

interface Preparation {
  hooks: PageHooks | undefined;
  restore: ((page: Tab) => Promise<unknown>) | undefined;
}

export interface BrowserSessions {
  /**
   * Charges the first minute and lends a browser. Call the returned function with the WebSocket once it is open, or with undefined if
   * the upgrade failed; the minute is then refunded.
   * @throws {AppError} `quota_exceeded`, `queue_full` or `unavailable`; for `session`, also `invalid_parameters` or `domain_not_allowed`;
   *   the signal's reason if it aborts.
   */
  open(wanted: Wanted): Promise<(socket: WebSocket | undefined) => void>;
  /** Resolves when all sessions have ended. Call this after `closing` has aborted. */
  close(): Promise<void>;
}

/** @param closing aborts at shutdown, which ends all sessions. */
export function createBrowserSessions(
  browsers: LentBrowsers,
  { createBlocker, openPageSession, ...parts }: SessionsParts,
  closing: AbortSignal,
): BrowserSessions {
  const running = new Set<Promise<void>>();
  const { minutes, metrics, log } = parts;
  onAbort(closing, browsers.stop);

  const refundMinute = (key: ApiKey, id: string) =>
    minutes.refund(key, id).catch((error) => log.warn({ err: error, session: id }, "failed to refund a minute"));

  const lend = async (account: string, prepare: Preparation, signal: AbortSignal) => {
    const { hooks, restore } = prepare;
    const browser = await browsers.open(account, signal);
    try {
      // The client's time starts only once it has the browser, so restoring has a limit of its own.
      if (restore) await untilAborted(withDeadline(browser.withPage(restore), restoreMaxMs, notRestored), signal);
      if (hooks) await browser.hookPages(hooks);
      return browser;
    } catch (error) {
      await browser.close();
      throw error;
    }
  };
  const open: BrowserSessions["open"] = async ({ signal, ...wanted }) => {
    const { key, block, session: name } = wanted;
    const hooks = block.length > 0 ? await createBlocker(block) : undefined;
    const restore = name === undefined ? undefined : await openPageSession(key, name);
    const id = v7();
    await minutes.charge(key, id, 1);
    const browser = await lend(key.userId, { hooks, restore }, signal).catch(async (error) => {
      await refundMinute(key, id);
      throw error;
    });
    return (socket) => {
      const session = socket
        ? serve(socket, { id, browser, hooks, ...wanted }, parts, closing)
        : browser.close().then(() => refundMinute(key, id));
      running.add(session);
      session.finally(() => running.delete(session));
    };
  };

  return {
    open: async (wanted) => {
      try {
        return await open(wanted);
      } catch (error) {
        metrics.browserSessionsRefused.inc({ code: error instanceof AppError ? error.code : "client_gone" });
        throw error;
      }
    },
    close: async () => void (await Promise.all(running)),
  };
}
