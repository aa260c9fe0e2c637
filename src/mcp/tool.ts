/** Definition of an MCP tool: its input and its result. */

import { z } from "zod";
import { type CallApi, ToolError } from "./call.ts";

/** A content block; `data` is base64. */
export type ToolContent = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  name: string;
  title: string;
  description: string;
  input: Shape;
  /** Whether the tool has no lasting effects. */
  isReadOnly: boolean;
  /** @throws {ToolError} */
  run(call: CallApi, input: z.output<z.ZodObject<Shape>>): Promise<ToolContent[]>;
}

/** Declares a tool with its exact types. */
export function tool<Shape extends z.ZodRawShape>(declared: Tool<Shape>): Tool {
  return declared as unknown as Tool;
}

export const text = (lines: (string | false | undefined)[]): ToolContent => ({ type: "text", text: lines.filter(Boolean).join("\n") });

/** In pixels. Only an upper bound: the service's configured limits are lower. */
export const sideMax = 1_000_000;

export const selectorList = (max: number) =>
  z
    .array(z.string().max(1024))
    .max(max)
    .meta({ valid: `a list of at most ${max} CSS selectors` });

/** An input for an id from an earlier result. */
export const idInput = (what: string) => z.uuid().meta({ valid: "an id (UUID) from an earlier result" }).describe(`Id of ${what}.`);

export const sessionInput = z
  .string()
  .max(64)
  .optional()
  .describe("Name of a session that the user has saved, for a page that needs a sign-in.");

export const countryInput = z
  .string()
  .max(32)
  .optional()
  .describe("Country to load the page from, such as de, if the service has a proxy there. Default: the service's own country.");

/** Options that select and prepare the page, shared by several tools. The names match the API's. */
export const pageInput = {
  url: z.string().optional().describe("URL of the page, with http:// or https://. Use html or markdown instead to show a document."),
  html: z.string().optional().describe("HTML to show instead of a page."),
  markdown: z.string().optional().describe("Markdown to show instead of a page."),
  width: z.int().min(1).max(sideMax).optional().describe("Width of the window in pixels; 1280 by default. 390 is the width of a phone."),
  viewport_device: z.string().max(100).optional().describe('A device to emulate, such as "iPhone 15" or "Pixel 5".'),
  prefers_color_scheme: z.enum(["light", "dark"]).optional(),
  wait_for_selector: z.string().optional().describe("CSS selector of an element to wait for: the page is captured once it is visible."),
  delay: z.number().min(0).max(20).optional().describe("Seconds to wait once the page is ready. Rarely needed."),
  click: selectorList(20).optional().describe("CSS selectors of elements to click first, in order."),
  steps: z
    .array(z.record(z.string(), z.union([z.string().max(4096), z.number()])))
    .max(30)
    .optional()
    .meta({ valid: 'a list of at most 30 objects such as {"click": "#menu"} or {"wait": 2}' })
    .describe(
      'Steps to take first: {"click": selector}, {"hover": selector}, {"type": selector, "text": text}, {"press": "Enter"}, {"scroll": selector or pixels}, {"wait": selector or seconds}.',
    ),
  session: sessionInput,
  country: countryInput,
  block_cookie_banners: z.boolean().default(true).describe("Remove cookie banners; cookies are never accepted."),
  part: z.int().min(1).max(1_000).default(1).describe("Part to begin with, if an earlier result said that there are more."),
  capture: z
    .uuid()
    .optional()
    .meta({ valid: "the id after capture= in an earlier result" })
    .describe("With part: the capture named in the earlier result."),
};

type PageInput = z.output<z.ZodObject<typeof pageInput>>;

/** API options for the page. The first call's capture is cached, so that later calls can read its other parts. */
export function pageOptions({ part: _, capture, ...page }: PageInput): { options: Record<string, unknown>; capture: string } {
  const name = capture ?? crypto.randomUUID();
  return { options: { ...page, is_cached: true, cache_ttl: 3600, cache_key: `model ${name}` }, capture: name };
}

/** @param total number of parts. */
export const noSuchPart = (total: number): ToolError =>
  new ToolError(total === 1 ? "part must be 1: there is only one part." : `part must be from 1 to ${total}: there are no more parts.`);

/** Tells the model how to get the remaining parts. */
export function furtherParts(parts: { first: number; last: number; total: number; capture: string }): string | false {
  const { first, last, total, capture } = parts;
  if (total === 1) return false;
  const shown = first === last ? `Part ${first} of ${total}.` : `Parts ${first} to ${last} of ${total}.`;
  if (last >= total) return shown;
  return `${shown} For the next, call this tool again with the same arguments, part=${last + 1} and capture="${capture}".`;
}
