/** A load generator in its own process: requests one URL as often as possible and prints the counts. Reads only what it needs of a response. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Hammering {
  /** Responses by status. */
  statuses: Record<string, number>;
  /** Milliseconds that each response took. */
  latencies: number[];
  seconds: number;
}

interface Order {
  url: string;
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

const order = JSON.parse(process.argv[2] ?? "") as Order;
const { host, hostname, port, pathname, search } = new URL(order.url);
const lines = Object.entries({ host, ...order.headers }).map(([name, value]) => `${name}: ${value}\r\n`);
const request = `GET ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`;

const statuses: Record<string, number> = {};
const latencies: number[] = [];
const since = performance.now();
await Promise.all(Array.from({ length: order.connections }, hammer));
const result: Hammering = { statuses, latencies, seconds: (performance.now() - since) / 1000 };
process.stdout.write(JSON.stringify(result));

async function hammer(): Promise<void> {
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, "connect");
  while (performance.now() - since < order.seconds * 1000) {
    const sentAt = performance.now();
    socket.write(request);
    const status = await readStatus(socket);
    statuses[status] = (statuses[status] ?? 0) + 1;
    latencies.push(performance.now() - sentAt);
  }
  socket.destroy();
}

/** Resolves with the status at the response's last byte; rejects if the server closes the connection. */
function readStatus(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = "";
    let left = Number.POSITIVE_INFINITY;
    const onClose = () => reject(new Error(`connection closed after ${JSON.stringify(head.slice(0, 200))}`));
    const read = (chunk: Buffer) => {
      if (left === Number.POSITIVE_INFINITY) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end === -1) return;
        const isEmpty = head.startsWith("HTTP/1.1 304");
        left = (isEmpty ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])) - (head.length - end - 4);
      } else left -= chunk.length;
      if (left > 0) return;
      socket.off("data", read).off("close", onClose);
      resolve(head.slice(9, 12));
    };
    socket.on("data", read).once("close", onClose);
  });
}
