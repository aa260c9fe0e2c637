/** Derives the clients' types from the schemas in openapi.yaml of requests that use an API key. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
}

/** A named object type. */
export interface Definition {
  description: string;
  /** Name of the definition whose members it inherits. */
  extends?: string;
  properties: Record<string, Schema>;
  required: string[];
}

export type Definitions = Record<string, Definition>;

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** Response schemas that the clients return; the schemas that they reference are added. */
const answers = [
  "Screenshot",
  "Capture",
  "CaptureState",
  "Batch",
  "PageSession",
  "Destination",
  "DestinationTest",
  "Watch",
  "WatchRun",
  "Comparison",
  "Error",
];

/** Definitions by name, in order of declaration: each follows the one that it extends. */
export function clientDefinitions(openApi: Record<string, unknown>): Definitions {
  const { paths, components } = JSON.parse(JSON.stringify(openApi)) as OpenApi;
  const body = (path: string, method = "post") => definitionOf(paths[path]?.[method]?.requestBody?.content["application/json"]?.schema);
  const take = body("/v1/screenshots/take");
  const captures = body("/v1/captures");
  const batch = body("/v1/batches");
  const watch = body("/v1/watches");
  const output = definitionOf(captures.properties.outputs?.items);
  const entry = definitionOf(batch.properties.captures?.items);
  const shared = definitionOf(batch.properties.shared);
  const change = body("/v1/watches/{id}", "patch");
  const ofFiles = [take, captures, output, shared, entry];
  const page = common("Options of the page and of the part of it that is shown.", [...ofFiles, watch, change]);
  const file = common("Options of an image or document.", ofFiles, ["PageOptions", page]);
  const list = (name: string): Schema => ({ type: "array", items: { $ref: `#/${name}` } });
  const over = { outputs: list("OutputRequest") };
  const described = (description: string, definition: Definition): Definition => ({ ...definition, description });
  const rest = (description: string, base: [string, Definition][], definition: Definition, replaced: Record<string, Schema> = {}) =>
    described(description, without(definition, base, replaced));
  const pages: [string, Definition][] = [["PageOptions", page]];
  const files: [string, Definition][] = [...pages, ["FileOptions", file]];
  return {
    PageOptions: page,
    FileOptions: file,
    TakeRequest: rest("A screenshot.", files, take),
    OutputRequest: rest("One output of a capture.", files, output),
    CaptureRequest: rest("Several outputs of one page.", files, captures, over),
    BatchShared: rest("Options of all captures of a batch.", files, shared, over),
    BatchEntry: rest("A capture of a batch.", files, entry, over),
    BatchRequest: rest("Many captures; needs `captures` or `sitemap_url`.", [], batch, {
      captures: list("BatchEntry"),
      shared: { $ref: "#/BatchShared" },
    }),
    SessionRequest: rest("Cookies and storage for pages that need a sign-in.", [], body("/v1/sessions"), { state: { type: "object" } }),
    DestinationRequest: rest("A bucket to which screenshots are copied.", [], body("/v1/destinations")),
    WatchRequest: rest("A page that is captured on a schedule.", pages, watch),
    WatchChange: rest("Changes to a watch.", pages, change),
    ...reached(components.schemas),
  };
}

function definitionOf(schema: Schema = {}): Definition {
  if (!schema.properties) throw new Error("This schema is not an object with properties.");
  const { api_key: _, ...properties } = schema.properties; // the client sends it
  return { description: schema.description ?? "", properties, required: schema.required ?? [] };
}

/** The optional properties that are identical in all `definitions` and absent from `base`. */
function common(description: string, definitions: Definition[], base?: [string, Definition]): Definition {
  const [first, ...others] = definitions as [Definition, ...Definition[]];
  const isCommon = ([name, schema]: [string, Schema]) =>
    !(name in (base?.[1].properties ?? {})) &&
    !first.required.includes(name) &&
    others.every(({ properties, required }) => isEqual(properties[name], schema) && !required.includes(name));
  const properties = Object.fromEntries(Object.entries(first.properties).filter(isCommon));
  return { description, ...(base ? { extends: base[0] } : {}), properties, required: [] };
}

/** `definition` minus the properties that it inherits from `bases`, of which it extends the last. */
function without(definition: Definition, bases: [string, Definition][], replaced: Record<string, Schema>): Definition {
  const inherited = new Set(bases.flatMap(([, { properties }]) => Object.keys(properties)));
  const own = Object.entries(definition.properties).filter(([name]) => !inherited.has(name));
  const properties = Object.fromEntries(
    own.map(([name, schema]) => [name, name in replaced ? { ...describedBy(schema), ...replaced[name] } : schema]),
  );
  const last = bases.at(-1)?.[0];
  return { ...definition, ...(last ? { extends: last } : {}), properties };
}

function describedBy({ description }: Schema): Schema {
  return description ? { description } : {};
}

function isEqual(one: Schema | undefined, other: Schema | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The response schemas and everything that they reference. */
function reached(schemas: Record<string, Schema>): Definitions {
  const found: Definitions = {};
  const visit = (name: string) => {
    const schema = schemas[name];
    if (!schema || found[nameOf(name)]) return;
    found[nameOf(name)] = definitionOf(schema);
    for (const [, inner = ""] of JSON.stringify(schema).matchAll(/"\$ref":"[^"]*\/(\w+)"/g)) visit(inner);
  };
  for (const name of answers) visit(name);
  return found;
}

/** Renames `Error`, which is a global type in TypeScript. */
export function nameOf(reference: string): string {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return name === "Error" ? "ErrorAnswer" : name;
}
