/** Several outputs of one page: how they differ, and the request for all of them. */

import type { Search } from "../search.ts";
import type { OptionGroup, Values } from "./parameters.ts";

/** The options that an output may override. */
export const outputOptions = [
  "format",
  "viewport_device",
  "width",
  "height",
  "full_page",
  "prefers_color_scheme",
  "selector",
  "image_width",
  "slice_height",
  "slice_overlap",
] as const;
/** Options that only outputs have; the form's groups don't include them. */
const numbersOfOutputs = ["slice_height", "slice_overlap"];

type OutputOption = (typeof outputOptions)[number];

/** The first output has the form's options. */
export interface Output {
  /** Identifies the output while its name is edited. */
  key: number;
  name: string;
  /** Values by option; if absent or empty, the form's value applies. */
  own: Partial<Record<OutputOption, string>>;
}

/** The body of `POST /v1/captures`. */
export interface CapturesBody extends Record<string, unknown> {
  outputs: Record<string, unknown>[];
}

export const outputsMax = 20;

const firstOutput: Output = { key: 1, name: "output-1", own: {} };

/** The outputs plus another one, whose name is unused. */
export function withAnother(outputs: Output[]): Output[] {
  const key = Math.max(...outputs.map((output) => output.key)) + 1;
  const names = outputs.map(({ name }) => name);
  const numbers = Array.from({ length: outputs.length + 1 }, (_, index) => index + 1);
  const free = numbers.find((number) => !names.includes(`output-${number}`));
  return [...outputs, { key, name: `output-${free}`, own: {} }];
}

/** Names of the outputs' fields, as used in the API's errors. */
export function outputFields(outputs: Output[]): string[] {
  return outputs.flatMap((_, index) => ["name", ...(index === 0 ? [] : outputOptions)].map((name) => `outputs[${index}].${name}`));
}

/** @param shared the options for all outputs, which each output's own options override. */
export function capturesBody(shared: Values, outputs: Output[], groups: OptionGroup[]): CapturesBody {
  const controls = new Map([
    ...groups.flatMap(({ options }) => options.map(({ name, control }) => [name, control] as const)),
    ...numbersOfOutputs.map((name) => [name, "number"] as const),
  ]);
  const typed = (values: Values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, jsonOf(value, controls.get(name))]));
  return { ...typed(shared), outputs: outputs.map((output) => typed(textsOf(output))) };
}

/** Text that is neither a number nor a switch's value is sent as it is, so that the API reports the error. */
function jsonOf(value: string | string[], control: string | undefined): unknown {
  if (control === "switch" && (value === "true" || value === "false")) return value === "true";
  if (control === "number" && Number.isFinite(Number(value))) return Number(value);
  return value;
}

/** An output's name and options, without empty ones. */
function textsOf({ name, own }: Output): Record<string, string> {
  const texts = Object.entries({ name, ...own }).map(([option, text]) => [option, text.trim()] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

/** The outputs for the page's URL; nothing for a single output. */
export function outputsText(outputs: Output[]): { outputs?: string } {
  return outputs.length > 1 ? { outputs: JSON.stringify(outputs.map(textsOf)) } : {};
}

/** The outputs from the page's URL; a single output if there are none, or they can't be read. */
export function outputsOf({ outputs: text }: Search): Output[] {
  try {
    const list = JSON.parse(String(text)) as Record<string, unknown>[];
    const outputs = list.slice(0, outputsMax).map((one, index): Output => {
      const own = outputOptions.flatMap((option) => (typeof one[option] === "string" ? [[option, one[option]]] : []));
      return { key: index + 1, name: String(one.name ?? ""), own: index === 0 ? {} : Object.fromEntries(own) };
    });
    return outputs.length > 1 ? outputs : [firstOutput];
  } catch {
    return [firstOutput];
  }
}
