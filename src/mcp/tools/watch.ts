/** `watch`: monitors pages for changes. */

import { z } from "zod";
import { type CallApi, callApi, callJson, ToolError } from "../call.ts";
import { cut, fromPage, inLine } from "../text.ts";
import { countryInput, idInput, selectorList, sessionInput, text, tool } from "../tool.ts";
import { regionLines, regions } from "./compare.ts";

const watched = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  state: z.string(),
  status: z.string(),
  phase: z.string(),
  every: z.string().nullable(),
  cron: z.string().nullable(),
  next_run_at: z.string().nullable(),
});

const run = z.object({
  status: z.string(),
  created_at: z.string(),
  screenshot: z.object({ id: z.string() }).nullable(),
  regions,
  error: z.object({ message: z.string() }).nullable(),
});

const list = z.object({ watches: z.array(watched), next_cursor: z.string().nullable() });

const errorMax = 500;
/** A page of the list has fewer watches if their options are long. */
const [listedMax, pagesMax] = [50, 10];

const actions = {
  async create(call: CallApi, { id: _, ...body }: Input) {
    if (!body.url) throw new ToolError("url is missing: it must be the URL of the page to watch.");
    const watch = await callJson(call, { method: "POST", path: "/v1/watches", body }, watched);
    return ["The page is now being watched. Its first three captures are used to learn what differs on every load.", lineOf(watch)];
  },
  async list(call: CallApi) {
    const lines: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < pagesMax && (page === 0 || (cursor && lines.length < listedMax)); page += 1) {
      const path: string = `/v1/watches?limit=${listedMax - lines.length}${cursor ? `&cursor=${cursor}` : ""}`;
      const { watches, next_cursor }: z.output<typeof list> = await callJson(call, { method: "GET", path }, list);
      lines.push(...watches.map(lineOf));
      cursor = next_cursor;
    }
    if (cursor) lines.push("There are older watches, which are not listed.");
    return lines.length === 0 ? ["No pages are being watched."] : lines;
  },
  async changes(call: CallApi, input: Input) {
    const request = { method: "GET", path: `/v1/watches/${given(input)}/runs?limit=10` } as const;
    const { runs } = await callJson(call, request, z.object({ runs: z.array(run) }));
    const lines = runs.flatMap(({ created_at, status, screenshot, regions: found, error }) => [
      `${created_at}: ${status}${screenshot ? `, screenshot ${screenshot.id}` : ""}${error ? `, ${cut(inLine(error.message), errorMax)}` : ""}`,
      ...regionLines(found),
    ]);
    return [`The latest captures. ${fromPage}`, ...lines];
  },
  async run(call: CallApi, input: Input) {
    await callApi(call, { method: "POST", path: `/v1/watches/${given(input)}/run`, body: {} });
    return ["The page is being captured: call this tool again a little later, with action=changes."];
  },
  async remove(call: CallApi, input: Input) {
    await callApi(call, { method: "DELETE", path: `/v1/watches/${given(input)}` });
    return ["The page is no longer watched."];
  },
};

interface Input {
  id?: string | undefined;
  url?: string | undefined;
  every?: string | undefined;
  ignore_selectors?: string[] | undefined;
  session?: string | undefined;
  country?: string | undefined;
}

export const watch = tool({
  name: "watch",
  title: "Watch web pages for changes",
  description:
    "Watches pages: create (url, every), list, changes (id: the latest captures and what has changed), run (id: capture it now), remove (id).",
  isReadOnly: false,
  input: {
    action: z.enum(Object.keys(actions) as [keyof typeof actions]),
    id: idInput("the watch").optional(),
    url: z.string().optional().describe("With create: the page."),
    every: z.string().optional().describe("With create: the interval, such as 30m, 12h or 1d; 1d by default."),
    ignore_selectors: selectorList(50).optional().describe("With create: CSS selectors of elements to ignore."),
    session: sessionInput,
    country: countryInput,
  },
  run: async (call, { action, ...input }) => [text(await actions[action](call, input))],
});

function given({ id }: Input): string {
  if (!id) throw new ToolError("id is missing: use list to get the ids of the watches.");
  return id;
}

function lineOf({ id, name, url, state, status, phase, every, cron, next_run_at }: z.output<typeof watched>): string {
  const next = next_run_at ? `, next at ${next_run_at}` : "";
  return `${id}: ${JSON.stringify(inLine(name))}, ${url}, every ${every ?? cron}, ${state}, ${phase === "learning" ? "learning" : status}${next}`;
}
