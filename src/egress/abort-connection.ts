/** Ends a connection so that the peer sees it was cut off. */

import type { Socket } from "node:net";

/** Resets the connection. After an orderly close, a response without a length would look complete. */
export function abortConnection(socket: Socket): void {
  // Everything was written and the FIN is on its way. libuv refuses to reset such a socket, and Node would never release it.
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy();
  else socket.resetAndDestroy();
}
