/** Closes a connection so that the other side sees that it broke off. */

import type { Socket } from "node:net";

/** An answer without a length would look whole if its connection were closed in order. */
export function breakOff(socket: Socket): void {
  // All was said, and its end is on the way. libuv refuses to reset a socket then, and Node would never let go of it.
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy();
  else socket.resetAndDestroy();
}
