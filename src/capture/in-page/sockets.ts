/** Blocks WebSockets. Runs in the page's main world, before its scripts. */

/** Replaces the constructor with one whose sockets fail as if the server were unreachable. */
export function replaceWebSocket(): void {
  const { CONNECTING, OPEN, CLOSING, CLOSED } = WebSocket;
  class Refused extends EventTarget {
    static readonly CONNECTING = CONNECTING;
    static readonly OPEN = OPEN;
    static readonly CLOSING = CLOSING;
    static readonly CLOSED = CLOSED;
    readonly url: string;
    readonly readyState = CLOSED;
    readonly bufferedAmount = 0;
    readonly protocol = "";
    readonly extensions = "";
    binaryType = "blob";
    onerror?: (event: Event) => void;
    onclose?: (event: Event) => void;
    constructor(url: string | URL) {
      super();
      this.url = String(url);
      setTimeout(() => {
        for (const event of [new Event("error"), new CloseEvent("close", { code: 1006 })]) {
          this.dispatchEvent(event);
          if (event.type === "error") this.onerror?.(event);
          else this.onclose?.(event);
        }
      });
    }
    send(): void {}
    close(): void {}
  }
  Object.defineProperty(globalThis, "WebSocket", { value: Refused, writable: true, configurable: true });
}
