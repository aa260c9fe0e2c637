/** OpenAPI schemas for errors and the take operation's responses, and the headers for all operations. */

import { confidenceMin, verdictKinds } from "../../capture/verdict/verdict.ts";
import { failures } from "../../shared/errors.ts";
import { formats } from "../../shared/formats.ts";
import { answerHeaders } from "./answer-headers.ts";
import { describedHeaders } from "./answers.ts";

type JsonObject = Record<string, unknown>;

/** Headers that operations refer to. */
export const headers = Object.fromEntries(
  describedHeaders.map((name) => [name, { description: answerHeaders[name]?.description, schema: { type: answerHeaders[name]?.type } }]),
);

const text = { type: "string" };
const nullableText = { type: ["string", "null"] };
const texts = { type: "object", additionalProperties: text };
const integer = { type: "integer" };

/** Text fields of a page's metadata; each is null if the page doesn't have it. */
const metadataTexts = ["title", "description", "canonical", "language", "author", "published", "site_name", "image", "theme_color"];

/** @param optional names of members that may be missing. */
function object(properties: JsonObject, optional: string[] = []): JsonObject {
  return { type: "object", properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

const box = { ...object({ x: integer, y: integer, width: integer, height: integer }), description: "In pixels of the image." };

export const schemas = {
  Error: object(
    {
      error: { ...text, description: "Human-readable message." },
      requestId: text,
      code: { ...text, enum: Object.keys(failures), description: "Machine-readable code; stable." },
      message: { ...text, description: "The same as `error`." },
      retryable: { type: "boolean", description: "Whether retrying the same request may succeed." },
      details: { type: "array", items: object({ parameter: text, message: text, allowed: text }, ["allowed"]) },
      explanation: { $ref: "#/components/schemas/Explanation" },
    },
    ["details", "explanation"],
  ),
  Screenshot: object(
    {
      id: { ...text, format: "uuid" },
      url: { type: ["string", "null"], description: "Link to the image, valid for a day; null if it could not be stored." },
      format: { ...text, enum: formats },
      bytes: integer,
      width: { type: ["integer", "null"], description: "Device pixels; null for a document." },
      height: { type: ["integer", "null"], description: "Device pixels; null for a document." },
      title: { ...text, description: "Title of the page." },
      target: object({ status: { type: ["integer", "null"] }, url: text }),
      verdict: object({
        kind: { ...text, enum: verdictKinds, description: "What the image shows: the page (`ok`), or something in its place." },
        confidence: {
          type: "number",
          minimum: 0,
          maximum: 1,
          description: `A wall or an error whose confidence is below ${confidenceMin} is reported as \`ok\`, and named in a warning.`,
        },
        reasons: { type: "array", items: text, description: "Human-readable sentences, the strongest reason first; empty for `ok`." },
      }),
      cache: { ...text, enum: ["HIT", "MISS", "COALESCED", "STALE"] },
      captured_at: { ...text, format: "date-time" },
      timings: { type: "object", additionalProperties: integer, description: "Duration of each phase in milliseconds." },
      wait_ended: {
        ...text,
        enum: ["ready", "timeout"],
        description:
          "Whether the page became ready as `wait_until` requires, or was captured when `wait_until_timeout` expired; absent if the screenshot was captured for an earlier request.",
      },
      explanation: { $ref: "#/components/schemas/Explanation" },
      comparison: { $ref: "#/components/schemas/Comparison" },
      warnings: { type: "array", items: text },
    },
    ["wait_ended", "explanation", "comparison"],
  ),
  Metadata: object({
    url: text,
    status: { type: ["integer", "null"], description: "HTTP status." },
    ...Object.fromEntries(metadataTexts.map((name) => [name, nullableText])),
    open_graph: { ...texts, description: "By name, without `og:`." },
    twitter: { ...texts, description: "By name, without `twitter:`." },
    icons: { type: "array", items: object({ url: text, rel: text, sizes: nullableText, type: nullableText }) },
    feeds: { type: "array", items: object({ url: text, title: nullableText, type: text }) },
    json_ld_types: { type: "array", items: text, description: "Types of the page's JSON-LD objects." },
  }),
  Elements: object({
    width: { ...integer, description: "In pixels of an image captured with the same options." },
    height: integer,
    elements: {
      type: "array",
      items: object({
        role: { ...text, description: "ARIA role, or `text`." },
        name: { ...text, description: "Accessible name." },
        tag: text,
        text: { ...text, description: "Visible text, at most 300 characters." },
        href: nullableText,
        box,
        selector: { ...text, description: "CSS selector that matches only this element; in a shadow root, relative to the root." },
        node: { ...integer, description: "Index in `tree`." },
      }),
    },
    tree: {
      type: "array",
      description: "The elements and pictures with all their ancestors, in document order.",
      items: object({
        selector: text,
        tag: text,
        id: nullableText,
        classes: { type: "array", items: text },
        nth: { ...integer, description: "Position among its siblings, starting at 1." },
        parent: { type: ["integer", "null"], description: "Index of the parent in `tree`." },
        alt: { ...nullableText, description: "Alternative text of a picture." },
        src: { ...nullableText, description: "URL of a picture." },
        box,
      }),
    },
  }),
  DryRun: object({
    dry_run: { type: "boolean", enum: [true] },
    options: { type: "object", description: "Every option with its effective value; secret values are replaced by `given`." },
    warnings: { type: "array", items: text },
    cache: object({
      state: { ...text, enum: ["HIT", "STALE", "MISS", "OFF"], description: "`OFF`: the request doesn't accept stored screenshots." },
      captured_at: { type: ["string", "null"], format: "date-time", description: "When the stored screenshot was captured." },
      id: { type: ["string", "null"], format: "uuid" },
    }),
  }),
};
