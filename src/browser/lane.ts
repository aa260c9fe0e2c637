/** The interface of the egress filter, as a browser uses it. */

import type { Refusal } from "./tab.ts";

/** One browser's access to the network, implemented by `egress`. */
export interface Lane {
  /** `socks5://127.0.0.1:port` */
  readonly proxyServer: string;
  /** Lets one capture connect and forgets the previous capture's refusals. `onFlood`: too many of its connections fail. */
  begin(captureId: string, onFlood: () => void): void;
  refusals(): readonly Refusal[];
  /** Whether the browser has connected since `begin`. */
  hasConnected(): boolean;
  /** Closes every connection and refuses new ones until the next `begin`. */
  end(): void;
  close(): Promise<void> | void;
}
