/** Serves the flood pages in a separate process, so that it doesn't disturb the measurement. Prints its port. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { floods, pageOf } from "./pages.ts";

const pages = new Map(floods.map((flood, index) => [`/flood/${index}`, pageOf(flood)]));
const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };

const server = createServer({ maxHeaderSize: 4_000_000 }, (request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://site");
  request.resume();
  if (pathname === "/never") return;
  if (pathname === "/redirect") response.writeHead(302, { location: `/redirect?${Math.random()}` }).end();
  else response.writeHead(200, { ...cors, "content-type": "text/html" }).end(pages.get(pathname) ?? "data");
});
server.listen(0, "127.0.0.1", () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
