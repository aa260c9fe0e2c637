/** The site that the gallery captures; its pages show the effect of every option. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface GallerySite extends AsyncDisposable {
  /** `http://address:port`, on loopback. */
  origin: string;
  /** `address:port` */
  host: string;
}

export async function startGallerySite(): Promise<GallerySite> {
  const server = createServer(answer);
  // Filter lists exempt 127.0.0.1; where loopback has no other address, the advertisement stays visible.
  await once(server.listen(0, "127.0.0.2"), "listening").catch(() => once(server.listen(0, "127.0.0.1"), "listening"));
  const { address, port } = server.address() as AddressInfo;
  return {
    origin: `http://${address}:${port}`,
    host: `${address}:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url?.split("?", 1)[0] ?? "/";
  const page = pages[path];
  if (page) response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page(request));
  else if (path === "/tile.svg") response.writeHead(200, { "content-type": "image/svg+xml" }).end(tile(request.url ?? ""));
  else if (path === "/ads/banner.js") response.writeHead(200, { "content-type": "text/javascript" }).end(adScript);
  else if (path === "/late.json") setTimeout(() => response.writeHead(200).end('"The text that came late"'), 600);
  else
    response
      .writeHead(404, { "content-type": "text/html; charset=utf-8" })
      .end(pageOf("Not found", "<main><h1>404</h1><p>There is no such page.</p></main>"));
}

const style = `
  :root { color-scheme: light dark; --ink: #1d2733; --paper: #fbfaf7; --line: #d9d4c7; --mark: #b5482f }
  @media (prefers-color-scheme: dark) { :root { --ink: #e8e4da; --paper: #15191f; --line: #39424e; --mark: #ff9b7d } }
  @media print { :root { --mark: #000 } header { display: none } main::before { content: "Printed"; font: 700 40px Georgia } }
  * { box-sizing: border-box }
  body { margin: 0; background: var(--paper); color: var(--ink); font: 18px/1.5 Georgia, serif }
  header { position: sticky; top: 0; padding: 14px 40px; background: var(--paper); border-bottom: 1px solid var(--line); font-weight: 700 }
  main { max-width: 900px; margin: 0 auto; padding: 32px 40px 80px }
  h1 { font-size: 46px; line-height: 1.1; color: var(--mark) }
  table { border-collapse: collapse; width: 100% } td:first-child { width: 240px } td { padding: 2px 12px 2px 0; line-height: 1.3; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
  .tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 14px } .tiles img { width: 100%; height: 130px; border-radius: 6px; background: var(--line) }
  .card { margin: 24px 0; padding: 20px; border: 1px solid var(--line); border-radius: 8px }
  @media (max-width: 600px) { main, header { padding-left: 18px; padding-right: 18px } .tiles { grid-template-columns: repeat(2, 1fr) } h1 { font-size: 34px } }
`;

function pageOf(title: string, body: string, head = ""): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style>${head}</head><body><header>The Gallery</header>${body}</body></html>`;
}

function tile(url: string): string {
  const number = Number(new URL(url, "http://site").searchParams.get("n"));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 130"><rect width="200" height="130" fill="hsl(${(number * 37) % 360} 55% 60%)"/><text x="100" y="80" font-family="Georgia" font-size="48" text-anchor="middle" fill="#fff">${number}</text></svg>`;
}

const tiles = (count: number, attributes = "") =>
  `<div class="tiles">${Array.from({ length: count }, (_, index) => `<img ${attributes} alt="" src="/tile.svg?n=${index + 1}">`).join("")}</div>`;

const adScript = `document.getElementById("ad").innerHTML = "<b>An advertisement</b>"; document.getElementById("ad").style = "padding:24px;background:#ffd54a;color:#000;font:700 22px sans-serif"`;

const reveal = `
  const observer = new IntersectionObserver((entries) => { for (const { isIntersecting, target } of entries) if (isIntersecting) target.className = "seen" });
  for (const section of document.querySelectorAll("section")) observer.observe(section);
`;

const facts = `
  const rows = {
    viewport: innerWidth + " × " + innerHeight + " at " + devicePixelRatio,
    "user agent": navigator.userAgent,
    mobile: String(navigator.userAgentData?.mobile),
    touch: String(navigator.maxTouchPoints > 0),
    orientation: screen.orientation?.type,
    languages: navigator.languages.join(", "),
    date: new Date().toUTCString(),
    "time zone": Intl.DateTimeFormat().resolvedOptions().timeZone,
    number: (1234567.89).toLocaleString(),
    scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    motion: matchMedia("(prefers-reduced-motion: reduce)").matches ? "reduced" : "no preference",
    cookie: document.cookie,
  };
  const table = document.querySelector("table");
  const add = (name, value) => { const row = table.insertRow(); row.insertCell().textContent = name; row.insertCell().textContent = value };
  for (const [name, value] of Object.entries(rows)) add(name, value);
  navigator.geolocation.getCurrentPosition((p) => add("position", p.coords.latitude + ", " + p.coords.longitude + " ± " + p.coords.accuracy), (e) => add("position", e.message));
`;

/** Escapes text for HTML. */
export const html = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const pages: Record<string, (request: IncomingMessage) => string> = {
  "/": () =>
    pageOf(
      "The Gallery",
      `<main><h1>Pictures of pages</h1><p>A page with text, a grid of images and a card.</p>${tiles(8)}<div class="card" id="card"><h2>The card</h2><p>The part that <code>selector</code> cuts out.</p><button onclick="this.textContent = 'It was clicked'">A button</button></div></main>`,
    ),
  "/facts": ({ headers }) => {
    const seen = ["x-gallery", "authorization", "accept-language"].map(
      (name) => `<tr><td>${name} header</td><td>${html(String(headers[name] ?? "–"))}</td></tr>`,
    );
    return pageOf("What the page sees", `<main><h1>What the page sees</h1><table>${seen.join("")}</table></main><script>${facts}</script>`);
  },
  "/long": () =>
    pageOf(
      "A long page",
      `<main><h1>A long page</h1>${Array.from({ length: 14 }, (_, index) => `<section><h2>Part ${index + 1}</h2>${tiles(8)}<p style="height:120px">Lorem ipsum.</p></section>`).join("")}</main><script>${reveal}</script>`,
      "<style>section{visibility:hidden}section.seen{visibility:visible}</style>",
    ),
  "/late": () =>
    pageOf(
      "Late",
      `<main><h1>Late content</h1><p id="late">…</p></main><script>fetch("/late.json").then((r) => r.json()).then((t) => { late.textContent = t; late.className = "ready" })</script>`,
    ),
  "/moving": () =>
    pageOf(
      "Moving",
      `<main><h1>Moving</h1><div class="card"><div class="dot"></div></div><div class="card in">It slides in.</div><input autofocus value="A field with a caret"></main>`,
      "<style>.dot{width:60px;height:60px;border-radius:50%;background:var(--mark);animation:run 3s linear infinite alternate}@keyframes run{to{transform:translateX(700px)}}.in{animation:in 2s both}@keyframes in{from{opacity:0;transform:translateX(300px)}}input{font:24px Georgia;padding:8px}</style>",
    ),
  "/transparent": () =>
    `<!doctype html><title>Badge</title><body style="margin:40px"><div style="width:300px;height:120px;border-radius:60px;background:#b5482f;color:#fff;font:700 40px/120px Georgia;text-align:center">Badge</div>`,
  "/commercial": () =>
    pageOf(
      "Commercial",
      `<main><h1>News</h1><div class="advert300"><div id="ad" class="ad-banner">Room for an advertisement</div></div><p>The text of the page.</p>${tiles(8)}</main>
       <div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" style="position:fixed;inset:auto 0 0;padding:30px;background:#222;color:#fff;font:18px sans-serif">We value your privacy. <button id="onetrust-accept-btn-handler">Accept all</button> <button id="onetrust-reject-all-handler" onclick="document.getElementById('onetrust-consent-sdk').remove()">Reject all</button></div></div>
       <div id="intercom-container" class="intercom-lightweight-app" style="position:fixed;right:20px;bottom:140px;width:64px;height:64px;border-radius:50%;background:#286efa"></div>
       <script src="/ads/banner.js"></script>`,
    ),
  "/policy": () =>
    `<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src 'none'"><title>Strict</title><body style="font:24px Georgia;margin:40px"><p>Its policy forbids scripts.</p><script>document.body.append("A script of its own ran.")</script>`,
};
