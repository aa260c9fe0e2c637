/** The site that pages may reach, and host names that resolve to it or to the secret. */

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { OpenSocket } from "../../../src/egress/dial.ts";
import type { Resolve } from "../../../src/egress/resolve.ts";
import type { Scope } from "../../support/scope.ts";
import type { File } from "./way.ts";

export interface Outer {
  /** `127.0.0.1:port` */
  authority: string;
  /** Sets the files in a way's folder. */
  serve(folder: string, files: Record<string, File>): void;
  /** Folders that were requested. */
  opened: Set<string>;
  /**
   * Names under `rebind.test` resolve to a public address once, then to loopback; those under `private.test`, `mapped.test` and
   * `mixed.test` are constant.
   */
  resolve: Resolve;
  /** Like `net.connect`, but connects to this site in place of the public address, on any port. */
  connect: OpenSocket;
  /** The same for a proxy. */
  dial(host: string, port: number): Socket;
}

/** A public address, which `connect` replaces. */
const publicAddress = "8.8.8.8";

const types: Record<string, string> = {
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  xml: "text/xml",
  m3u8: "application/vnd.apple.mpegurl",
};

/** `t` closes it when the test ends. */
export async function createOuter(t: Scope): Promise<Outer> {
  const folders = new Map<string, Record<string, File>>();
  const opened = new Set<string>();
  const server = createServer((req, res) => {
    const [, folder = "", name = ""] = /^\/([^/]*)\/([^?]*)/.exec(req.url ?? "") ?? [];
    opened.add(folder);
    const file = folders.get(folder)?.[name];
    const { status = 200, headers = {}, body = "" } = typeof file === "string" ? { body: file } : (file ?? { status: 404 });
    const type = types[/\w+$/.exec(name)?.[0] ?? ""] ?? "text/html";
    // Closed, because a new connection resolves the name again.
    res.writeHead(status, { "content-type": type, "access-control-allow-origin": "*", connection: "close", ...headers }).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const resolved = new Set<string>();
  return {
    authority: `127.0.0.1:${port}`,
    serve: (folder, files) => void folders.set(folder, files),
    opened,
    resolve: async (host) => {
      const isFirst = !resolved.has(host);
      resolved.add(host);
      if (host.endsWith(".rebind.test")) return [isFirst ? publicAddress : "127.0.0.1"];
      if (host.endsWith(".private.test")) return ["127.0.0.1"];
      if (host.endsWith(".mapped.test")) return ["::ffff:127.0.0.1"];
      return host.endsWith(".mixed.test") ? ["127.0.0.1", publicAddress] : [];
    },
    connect: ({ host, port: wanted, ...options }) =>
      host === publicAddress ? connect({ host: "127.0.0.1", port, ...options }) : connect({ host, port: wanted, ...options }),
    dial: (host, wanted) => connect({ host: "127.0.0.1", port: host === publicAddress ? port : wanted }),
  };
}
