/** Adapts the OpenAPI description for the API reference, whose "Try it out" fills in every example and default value it finds. */

type Json = Record<string, unknown>;

interface Parameter extends Json {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Json;
  example?: unknown;
}

interface Described extends Json {
  operationId: string;
  description?: string;
  security?: Json[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Json> } & Json;
}

const url = "https://example.com/";
const state = { cookies: [{ name: "sid", value: "4f1c", domain: "example.com", path: "/" }], origins: [] };
const [earlier, later] = ["019ab9c2-8f4e-7d7b-9a43-0d6c1f6f2a11", "019ab9c2-9a10-7c31-8e52-64d1b0a7c3f5"];

/** Initial request bodies, by operation. By default, Swagger UI fills in all members, many of which exclude each other. */
export const firstBodies: Readonly<Record<string, Json>> = {
  takeScreenshotByPost: { url },
  createCaptures: { url, outputs: [{ format: "png" }, { format: "markdown" }] },
  createCapturesInPlayground: { url, outputs: [{ format: "png" }, { format: "markdown" }] },
  createBatch: { captures: [{ url }] },
  createAccountBatch: { captures: [{ url }] },
  compareScreenshots: { before: earlier, after: later },
  savePageSession: { name: "shop", state },
  savePageSessionInDashboard: { name: "shop", state },
  createWatch: { url, every: "1d" },
  createWatchInDashboard: { url, every: "1d" },
  changeWatch: { every: "12h" },
  changeWatchInDashboard: { every: "12h" },
  mute: { selector: ".advert" },
  muteInDashboard: { selector: ".advert" },
  createKey: { name: "My website" },
};

const keyParameter: Parameter = {
  name: "api_key",
  in: "query",
  description: "The API key, unless it is entered under Authorize.",
  required: false,
  schema: { type: "string" },
};

/** The only scheme under Authorize: one is enough for keys, and a page can't set the session cookie. */
const keyScheme = {
  type: "http",
  scheme: "bearer",
  description:
    "An API key, from the dashboard's API keys page. It is sent as `Authorization: Bearer KEY`; programs can also send it as `X-API-Key: KEY`, or as `api_key=KEY` in the URL.",
};

const needsSession = "For users who are signed in to the dashboard in this browser.";

/** Makes "Try it out" fill in only what a request needs: examples and default values move to the descriptions, as code. */
export function describeReference(openApi: Json): Json {
  const info = openApi.info as Json;
  const components = openApi.components as Json;
  const paths = openApi.paths as Record<string, Record<string, Described>>;
  const files = "As a file: [openapi.json](/openapi.json), [openapi.yaml](/openapi.yaml).";
  return {
    ...openApi,
    servers: [], // hides a menu with only one entry
    info: { ...info, description: `${info.description}\n\n${files}` },
    components: { ...components, securitySchemes: { key: keyScheme } },
    paths: mapped(paths, (operations) => mapped(operations, withFirstRequest)),
  };
}

function withFirstRequest(operation: Described): Described {
  const { operationId, description, security = [], parameters, requestBody } = operation;
  const body = firstBodies[operationId];
  const uses = (scheme: string) => security.some((one) => Object.hasOwn(one, scheme));
  return {
    ...operation,
    security: uses("bearer") ? [{ key: [] }] : [],
    ...(uses("session") && { description: [description, needsSession].filter(Boolean).join("\n\n") }),
    ...(parameters && { parameters: parametersOf(operationId, parameters) }),
    ...(requestBody &&
      body && { requestBody: { ...requestBody, content: mapped(requestBody.content, (content) => ({ ...content, example: body })) } }),
  };
}

function parametersOf(operationId: string, parameters: Parameter[]): Parameter[] {
  if (operationId !== "takeScreenshot") return parameters.map((one) => (one.required ? one : notFilledIn(one)));
  const [target, ...options] = parameters; // `url`, which `html` and `markdown` can replace
  return [...(target ? [target] : []), keyParameter, ...options.map(notFilledIn)];
}

function notFilledIn({ example, description, schema = {}, ...rest }: Parameter): Parameter {
  const { default: fallback, examples: _, ...bare } = schema;
  const tells = example !== undefined && schema.type !== "boolean" && JSON.stringify(example) !== JSON.stringify(fallback);
  const notes = [...(fallback === undefined ? [] : [`Default: ${code(fallback)}.`]), ...(tells ? [`Example: ${code(example)}.`] : [])];
  const shown = { ...rest, description: [description, notes.join(" ")].filter(Boolean).join("\n\n"), schema: bare };
  const isJson = (bare.items as Json | undefined)?.type === "object"; // otherwise a list of made-up objects would be filled in
  return isJson ? { ...shown, schema: { type: "string" }, style: "form", explode: false } : shown;
}

/** A value as Markdown code, so that HTML in it is shown as text. */
function code(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const fence = "`".repeat(1 + Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)));
  return text.includes("`") ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

function mapped<Value, Result>(record: Record<string, Value>, change: (value: Value) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
