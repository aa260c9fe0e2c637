/** Sites of hundreds of pages as generators make them, with the traps that such sites have. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Scope } from "../../support/scope.ts";

export interface GeneratedSite {
  origin: string;
  host: string;
  /** Paths with queries of all requests for pages, in order. */
  requests: string[];
  /** Paths of all pages that a crawl should capture, however many links away. */
  pages: string[];
  /** Requests for these break robots.txt. */
  disallowed: RegExp;
}

interface Content {
  robots: string;
  pages: string[];
  disallowed: RegExp;
  /** The page at a path, with its canonical address and links; a redirect; undefined: 404. */
  page(path: string, query: URLSearchParams): { links: string[]; canonical?: string; head?: string } | { redirect: string } | undefined;
}

async function serve(t: Scope, { robots, pages, disallowed, page }: Content): Promise<GeneratedSite> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/robots.txt") return void response.setHeader("content-type", "text/plain").end(robots);
    requests.push(url.pathname + url.search);
    respond(response, page(url.pathname, url.searchParams));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin: `http://${host}`, host, requests, pages, disallowed };
}

function respond(response: ServerResponse, content: ReturnType<Content["page"]>): void {
  if (content && "redirect" in content) return void response.writeHead(302, { location: content.redirect }).end();
  const { links = [], canonical, head = "" } = content ?? {};
  const declared = canonical === undefined ? "" : `<link rel="canonical" href="${canonical}">`;
  const list = links.map((link) => (link.startsWith("<") ? link : `<a href="${link.replaceAll("&", "&amp;")}">link</a>`)).join("\n");
  response
    .writeHead(content ? 200 : 404, { "content-type": "text/html" })
    .end(`<!doctype html><title>page</title>${declared}${head}<body>${list}`);
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Another one for each page and visit, as from a server that keeps sessions in addresses. */
const sessionOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** Documentation in two versions: one canonical, with print pages, wrong relative links, downloads, and edit links to another site. */
export async function docsSite(t: Scope): Promise<GeneratedSite> {
  const sections = upTo(20);
  const perSection = 15;
  const leaves = sections.flatMap((section) => upTo(perSection).map((leaf) => `/latest/section-${section}/page-${leaf}`));
  const pages = ["/", ...sections.map((section) => `/latest/section-${section}/`), ...leaves];
  return await serve(t, {
    robots: "User-agent: *\nDisallow: /print/\nDisallow: /*?highlight=\nAllow: /\n",
    pages,
    disallowed: /^\/print\/|\?highlight=/,
    page(path) {
      const navigation = ["/", ...sections.map((section) => `/latest/section-${section}/`), "https://github.com/example/docs/edit/main"];
      if (path === "/") return { links: [...navigation, "/v1/section-0/", "/latest/docs.pdf", "#top"] };
      const [, version, section, leaf] = /^\/(latest|v1)\/section-(\d+)\/(?:page-(\d+))?$/.exec(path) ?? [];
      if (!section) return /\/wrong\/$/.test(path) ? { links: ["wrong/"] } : undefined; // a relative link, deeper each time
      const own = [`/print${path}`, `${path}?highlight=word`, `${path}#heading`, "wrong/"];
      const canonical = path.replace("/v1/", "/latest/");
      if (leaf) return { links: [...navigation, ...own, `page-${(Number(leaf) + 1) % perSection}`], canonical };
      const below = upTo(perSection).map((index) => `/${version}/section-${section}/page-${index}`);
      return { links: [...navigation, ...own, ...below], canonical };
    },
  });
}

/** A blog: posts by date, archives, tags, numbered pages, replies, feeds, and a calendar that never ends. */
export async function blogSite(t: Scope): Promise<GeneratedSite> {
  const posts = upTo(240).map((index) => `/${2016 + (index % 10)}/${String((index % 12) + 1).padStart(2, "0")}/post-${index}/`);
  const perPage = 10;
  const lists = upTo(posts.length / perPage).map((index) => (index === 0 ? "/" : `/page/${index + 1}/`));
  const tags = upTo(12).map((index) => `/tag/tag-${index}/`);
  const drafts = /^\/wp-admin\/|^\/draft\//;
  return await serve(t, {
    robots: "# for all\nUser-agent: *\nDisallow: /wp-admin/\nDisallow: /draft/\nCrawl-delay: 0.05\n\nUser-agent: BadBot\nDisallow: /\n",
    pages: [...posts, ...lists, ...tags],
    disallowed: drafts,
    page(path, query) {
      const common = ["/", "/feed.xml", "/wp-admin/post-new", "/calendar/2026/11/", ...tags];
      const at = lists.indexOf(path);
      if (at >= 0 || tags.includes(path)) {
        const shown =
          at >= 0 ? posts.slice(at * perPage, (at + 1) * perPage) : posts.filter((_, index) => index % 12 === tags.indexOf(path));
        // Numbered pages link to the next two, and to the last one.
        const others = at >= 0 ? [lists[at + 1], lists[at + 2], lists.at(-1), lists[Math.floor(lists.length / 2)], lists[at - 1]] : [];
        return {
          links: [...common, ...shown.map((post) => `${post}?utm_source=list&utm_medium=${at}`), ...others.flatMap((one) => one ?? [])],
        };
      }
      const [, year, month] = /^\/calendar\/(\d+)\/(\d+)\/$/.exec(path) ?? [];
      if (year && month) {
        const next = new Date(Date.UTC(Number(year), Number(month), 1));
        const days = upTo(28).map((day) => `/calendar/${year}/${month}/${day + 1}`);
        return { links: [...common, ...days, `/calendar/${next.getUTCFullYear()}/${next.getUTCMonth() + 1}/`] };
      }
      if (/^\/calendar\//.test(path)) return { links: common };
      if (!posts.includes(path)) return undefined;
      const session = sessionOf(`${path}${query}${Math.random()}`);
      const replies = upTo(5).map((reply) => `<a rel="nofollow" href="${path}?replytocom=${reply}">reply</a>`);
      const index = posts.indexOf(path);
      const near = [posts[index - 1], posts[index + 1]].flatMap((one) => one ?? []);
      return {
        links: [...common, ...replies, ...near.map((post) => `${post.slice(0, -1)}/;jsessionid=${session}`), `/draft/${index}`],
        canonical: path,
      };
    },
  });
}

/** A shop: 2,000 products, filters in any combination, sessions and sources in addresses, carts, short links, and a sign-in elsewhere. */
export async function shopSite(t: Scope): Promise<GeneratedSite> {
  const categories = upTo(40);
  const perCategory = 50;
  const product = (index: number) => `/product/${index}-item`;
  const pages = ["/", ...categories.map((index) => `/c/${index}`), ...upTo(categories.length * perCategory).map(product)];
  return await serve(t, {
    robots: "User-agent: Tintype\nDisallow: /cart\nDisallow: /*/reviews$\n\nUser-agent: *\nDisallow: /\n",
    pages,
    disallowed: /^\/cart|\/reviews$/,
    page(path, query) {
      const sid = `PHPSESSID=${sessionOf(`${path}${Math.random()}`)}`;
      const common = [`/?${sid}`, `/cart?add=1&${sid}`, "https://accounts.example.com/sign-in"];
      if (path === "/") return { links: [...common, ...categories.map((index) => `/c/${index}?${sid}`)] };
      const [, category] = /^\/c\/(\d+)$/.exec(path) ?? [];
      if (category !== undefined) {
        const products = upTo(perCategory).map((index) => `${product(Number(category) * perCategory + index)}?ref=category-${category}`);
        const filters = ["color=red", "color=blue", "size=s", "size=l", "sort=price", "sort=name", "stock=1"];
        const combined = filters.map((filter) => `${path}?${[...new Set([...query].filter(([name]) => name !== "PHPSESSID").map(([n, v]) => `${n}=${v}`)), filter].slice(0, 6).join("&")}`); // biome-ignore format: one expression
        return { links: [...common, ...products, ...combined], canonical: path };
      }
      const [, short] = /^\/p\/(\d+)$/.exec(path) ?? [];
      if (short !== undefined) return { redirect: product(Number(short)) };
      const [, index] = /^\/product\/(\d+)-item$/.exec(path) ?? [];
      if (index === undefined) return undefined;
      const related = [1, 2, 3].map((step) => `${product((Number(index) + step) % 2_000)}?ref=related-${index}`);
      return { links: [...common, ...related, `/p/${(Number(index) + 4) % 2_000}`, `${path}/reviews`], canonical: path };
    },
  });
}
