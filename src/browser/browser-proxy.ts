/** Interfaces for a browser's egress proxy and for requesting its tabs. */

import type { UpstreamProxy } from "../shared/proxy-url.ts";
import type { Refusal, Tab } from "./tab.ts";

/** A browser's network access. A structural copy of `EgressProxy`, since browser/ doesn't import egress/. */
export interface BrowserProxy {
  /** `socks5://127.0.0.1:port` */
  readonly proxyServer: string;
  /**
   * Lets one capture connect, directly or through `upstream`, and forgets the previous capture's refusals. `onLimit` is called when the
   * capture transfers too much data or too many of its connections fail; all further connections are then refused. If `upstream` doesn't
   * respond, connections fail before `deadlineAt`.
   */
  begin(
    captureId: string,
    onLimit: (limit: "data" | "failed connections") => void,
    upstream?: UpstreamProxy & { deadlineAt?: number | undefined },
  ): void;
  refusals(): readonly Refusal[];
  /** Whether the browser has connected since `begin`. */
  hasConnected(): boolean;
  /** Closes every connection and refuses new ones until the next `begin`. */
  end(): void;
  close(): Promise<void> | void;
}

/** One use of a browser tab. */
export interface TabRequest {
  /** Random, for the debug log. A capture that is repeated in another browser has several, all different from its record's id. */
  captureId: string;
  /** Aborting it ends the capture. */
  signal: AbortSignal;
  /** Time by which `signal` will have aborted, as a `performance.now()` timestamp. */
  deadlineAt?: number | undefined;
  /** Proxy that all of the tab's connections go through; by default, they are direct. */
  proxy?: UpstreamProxy | undefined;
}

interface CaptureTabRequest extends Omit<TabRequest, "captureId"> {
  /** Id of the capture's account; browsers are shared fairly between accounts. */
  account: string;
  /** Whether the capture may wait for an encoder before it returns the tab, in which case only some permits are available to it. */
  encodesInTurn?: boolean;
}

export type WithTab = <T>(request: CaptureTabRequest, use: (tab: Tab, queuedMs: number) => Promise<T>) => Promise<T>;

/** Stubs for the members that only a capture's tab supports. */
export const withoutConnections = {
  refusals: () => [],
  hasConnected: () => false,
  closeConnections: () => {},
  replace: () => Promise.reject(new Error("Only a capture's tab can be replaced")),
  beside: () => Promise.reject(new Error("Only a capture can open another tab beside its own")),
};
