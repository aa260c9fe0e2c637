/** Interface of a browser's egress proxy, and what one capture needs of it. */

import type { UpstreamProxy } from "../shared/proxy-url.ts";
import type { Refusal } from "./tab.ts";

/** A browser's access to the network. A structural copy of `EgressProxy`, since browser/ doesn't import egress/. */
export interface BrowserProxy {
  /** `socks5://127.0.0.1:port` */
  readonly proxyServer: string;
  /**
   * Lets one capture connect, directly or through `upstream`, and forgets the refusals of the previous one. `onFlood` is called when too
   * many of its connections fail.
   */
  begin(captureId: string, onFlood: () => void, upstream?: UpstreamProxy): void;
  refusals(): readonly Refusal[];
  /** Whether the browser has connected since `begin`. */
  hasConnected(): boolean;
  /** Closes every connection and refuses new ones until the next `begin`. */
  end(): void;
  close(): Promise<void> | void;
}

/** One use of a browser tab. */
export interface TabRequest {
  captureId: string;
  /** Ends the capture. */
  signal: AbortSignal;
  /** Proxy that all connections of the tab go through; by default they are direct. */
  proxy?: UpstreamProxy | undefined;
}
