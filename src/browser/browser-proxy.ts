/** Interface of a browser's egress proxy. */

import type { Refusal } from "./tab.ts";

/** A browser's access to the network. A structural copy of `EgressProxy`, since browser/ doesn't import egress/. */
export interface BrowserProxy {
  /** `socks5://127.0.0.1:port` */
  readonly proxyServer: string;
  /** Lets one capture connect, and forgets the refusals of the previous one. `onFlood` is called when too many of its connections fail. */
  begin(captureId: string, onFlood: () => void): void;
  refusals(): readonly Refusal[];
  /** Whether the browser has connected since `begin`. */
  hasConnected(): boolean;
  /** Closes every connection and refuses new ones until the next `begin`. */
  end(): void;
  close(): Promise<void> | void;
}
