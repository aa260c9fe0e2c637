/** `crawl`: reads the pages of a site. */

import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { type CallApi, callApi, callJson, readFile, readJson, ToolError } from "../call.ts";
import { cut, fromPage, inLine, pageLines } from "../text.ts";
import { countryInput, idInput, noSuchPart, sessionInput, type ToolContent, text, tool } from "../tool.ts";
import { partsOf, readableMax } from "./read-page.ts";

/** Maximum number of pages in one result. */
const listedMax = 100;
/** Maximum number of bytes of a list that are read. A line has a few kilobytes; if it describes many outputs, up to a few megabytes. */
const listBytesMax = 8 * 1024 * 1024;
const urlMax = 300;
const titleMax = 100;
const errorMax = 200;

const progress = z.object({
  id: z.string(),
  status: z.string(),
  counts: z.object({ queued: z.number(), running: z.number(), done: z.number(), failed: z.number(), canceled: z.number() }),
  crawl: z.object({ left_out: z.array(z.object({ reason: z.string(), count: z.number() })) }).optional(),
});

const crawled = z.object({
  id: z.string(),
  status: z.string(),
  batch: z.object({ name: z.string() }).optional(),
  target: z.object({ url: z.string(), title: z.string() }).optional(),
  outputs: z.array(z.object({ url: z.string().nullish(), content_type: z.string().optional() })).optional(),
  error: z.object({ message: z.string() }).optional(),
});

const actions = {
  async start(call: CallApi, { url, depth, limit, include, exclude, session, country }: Input): Promise<ToolContent[]> {
    if (!url) throw new ToolError("url is missing: it must be the URL of the first page.");
    const shared = { format: "markdown", block_cookie_banners: true, session, country };
    const body = { shared, crawl: { url, depth, limit, include, exclude } };
    const { id } = await callJson(call, { method: "POST", path: "/v1/batches", body }, progress);
    return [text([`Id of the crawl: ${id}`, "The pages are being read: call this tool again a little later, with action=pages."])];
  },
  async pages(call: CallApi, input: Input): Promise<ToolContent[]> {
    const path = `/v1/batches/${given(input)}`;
    const { status, counts, crawl } = await callJson(call, { method: "GET", path }, progress);
    const after = input.after === undefined ? "" : `?after=${input.after}`;
    const { body, isCut = false } = await callApi(call, { method: "GET", path: `${path}/results${after}`, bytesMax: listBytesMax });
    const { shown, isMore } = await linesIn(body, isCut);
    const left = crawl?.left_out.map(({ reason, count }) => `${count} ${reason}`) ?? [];
    return [
      text([
        `The crawl ${status === "done" ? "has ended" : "is running"}: ${counts.done} ${counts.done === 1 ? "page" : "pages"} done, ${counts.failed} failed, ${counts.queued + counts.running} to come.`,
        left.length > 0 && `Links that are not followed: ${left.join(", ")}.`,
        isMore && shown.length === 0 && "The description of the next page is too long to be read.",
        isMore && shown.length > 0 && `For more, call this tool again with after=${shown.at(-1)?.id}.`,
        shown.length > 0 && `Pages, in the order they finished: use action=read with a page's id. ${fromPage}`,
        ...shown.map(lineOf),
      ]),
    ];
  },
  async read(call: CallApi, { page, part }: Input): Promise<ToolContent[]> {
    if (!page) throw new ToolError("page is missing: use action=pages to get the ids of the pages.");
    const { target, outputs = [], error } = await callJson(call, { method: "GET", path: `/v1/captures/${page}` }, crawled);
    if (!target) throw new ToolError(error ? cut(inLine(error.message), errorMax) : "The page has not been read yet: try again later.");
    const [output = {}] = outputs;
    if (!/^text\/|json/.test(output.content_type ?? "text/")) throw new ToolError(`${page} is not text: use a page of a crawl.`);
    const { body, isCut } = await readFile(call, output, readableMax);
    const parts = partsOf(body.toString());
    const shown = parts[part - 1];
    if (shown === undefined) throw noSuchPart(parts.length);
    return [
      text([
        parts.length > 1 && `Part ${part} of ${parts.length}: for another, call this tool again with a different part.`,
        isCut && part === parts.length && "The page is too long: its end can't be read.",
        ...pageLines(target.url, target.title),
      ]),
      { type: "text", text: shown || "The page has no text." },
    ];
  },
  async stop(call: CallApi, input: Input): Promise<ToolContent[]> {
    await callApi(call, { method: "DELETE", path: `/v1/batches/${given(input)}` });
    return [text(["No more pages will be read; pages that are already loading will finish."])];
  },
};

interface Input {
  id?: string | undefined;
  url?: string | undefined;
  depth: number;
  limit: number;
  include?: string[] | undefined;
  exclude?: string[] | undefined;
  after?: string | undefined;
  page?: string | undefined;
  part: number;
  session?: string | undefined;
  country?: string | undefined;
}

const patterns = z.array(z.string().max(200)).max(20).optional().meta({ valid: "a list of at most 20 patterns such as /docs/*" });

export const crawlTool = tool({
  name: "crawl",
  title: "Read the pages of a site",
  description:
    "Reads a page and, by following links, other pages of its site, as Markdown, within the site's robots.txt: start (url), pages (id: progress and the list of pages), read (page: the text of one page), stop (id). Each page costs as much as a screenshot. For a single page, use read_page.",
  isReadOnly: false,
  input: {
    action: z.enum(Object.keys(actions) as [keyof typeof actions]),
    url: z.string().optional().describe("With start: URL of the first page."),
    depth: z.int().min(1).max(5).default(2).describe("With start: maximum number of links to follow from the first page to any other."),
    limit: z.int().min(1).max(1_000).default(20).describe("With start: maximum number of pages to read."),
    include: patterns.describe("With start: read only pages whose path and query match one of these patterns; * matches any text."),
    exclude: patterns.describe("With start: leave out pages that match one of these patterns."),
    id: idInput("the crawl").optional(),
    after: idInput("the last page of an earlier list").optional(),
    page: idInput("the page to read").optional(),
    part: z.int().min(1).max(1_000).default(1).describe("With read: part of a long page."),
    session: sessionInput,
    country: countryInput,
  },
  run: async (call, { action, ...input }) => await actions[action](call, input),
});

/** Parses each line in its own turn of the event loop. @param isCut whether `list` ends within a line. */
async function linesIn(list: Buffer, isCut: boolean): Promise<{ shown: z.output<typeof crawled>[]; isMore: boolean }> {
  const shown: z.output<typeof crawled>[] = [];
  for (let start = 0; start < list.length && shown.length < listedMax; ) {
    const end = list.indexOf("\n", start);
    if (end < 0 && isCut) return { shown, isMore: true };
    const line = list.subarray(start, end < 0 ? list.length : end);
    if (line.length > 0) shown.push(readJson(line, crawled));
    start += line.length + 1;
    await setImmediate();
  }
  return { shown, isMore: isCut || shown.length === listedMax };
}

function given({ id }: Input): string {
  if (!id) throw new ToolError("id is missing: start a crawl to get its id.");
  return id;
}

function lineOf({ id, status, batch, target, error }: z.output<typeof crawled>): string {
  if (target) return `${id}: ${JSON.stringify(cut(inLine(target.title), titleMax))}, ${cut(inLine(target.url), urlMax)}`;
  return `${id}: ${inLine(batch?.name ?? "")}, ${status}${error ? `, ${JSON.stringify(cut(inLine(error.message), errorMax))}` : ""}`;
}
