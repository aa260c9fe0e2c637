/** A DNS server for tests. */

import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { Scope } from "./scope.ts";

export const typeA = 1;
export const typeAaaa = 28;
/** Rcodes. */
export const refused = 5;
export const noSuchName = 3;

/** Response code, or raw addresses of the queried type; no response if undefined. */
type Reply = number | number[][] | undefined;

/** Starts a name server on loopback (RFC 1035). `servers`: its address, for resolvers; `asked`: the queried names. */
export async function startNameServer(t: Scope, reply: (name: string, type: number) => Reply) {
  const asked: string[] = [];
  const server = createSocket("udp4");
  server.on("message", (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const labels: string[] = [];
    for (let at = 12; query[at] !== 0; at += 1 + (query[at] ?? 0)) labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
    const type = query.readUInt16BE(end - 4);
    const name = labels.join(".").toLowerCase();
    asked.push(name);
    const answer = reply(name, type);
    if (answer === undefined) return;
    const records =
      typeof answer === "number"
        ? []
        : answer.map((bytes) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]));
    const header = Buffer.from([0, 0, 0x81, 0x80 + (typeof answer === "number" ? answer : 0), 0, 1, 0, records.length, 0, 0, 0, 0]);
    query.copy(header, 0, 0, 2);
    server.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => void server.close());
  return { servers: [`127.0.0.1:${server.address().port}`], asked };
}

/** Makes all DNS queries of this process use `servers` until `t` ends. */
export function askOnly(t: Scope, servers: string[]): void {
  const configured = new WeakSet<Resolver>();
  for (const method of ["resolve4", "resolve6"] as const) {
    const original = Resolver.prototype[method];
    Resolver.prototype[method] = function (this: Resolver, ...query: Parameters<typeof original>) {
      // Servers can't be changed while a query runs.
      if (!configured.has(this)) this.setServers(servers);
      configured.add(this);
      return original.apply(this, query);
    } as typeof original;
    t.after(() => {
      Resolver.prototype[method] = original;
    });
  }
}
