/**
 * What a group of capture options is: its parameters, and the page work that implements them.
 *
 * Groups don't import each other. What they share goes through `Work`:
 *
 * | shared                            | set by                      | read by                              |
 * | --------------------------------- | --------------------------- | ------------------------------------ |
 * | shot.viewport, shot.scale         | viewport                    | frame, shoot, blank                  |
 * | shot.impliedVisitor               | viewport                    | identity                             |
 * | shot.format, .quality, .fit       | image                       | shoot                                |
 * | shot.isTransparent                | image                       | shoot                                |
 * | shot.isMeasured                   | frame                       | emulation                            |
 * | shot.clip, .whole, .mayBeCut      | frame                       | emulation, shoot, blank              |
 * | shot.completeHeight               | frame                       | frame                                |
 * | waitsFor                          | navigate, waiting, page-edits, shoot | explain-timeout              |
 * | agent                             | emulation, identity         | capture                              |
 * | readiness.followFetches()         | waiting, page-edits         | readiness                            |
 * | readiness.invalidate()            | page-edits, waiting         | waiting, blocking, frame             |
 * | readiness.moves()                 | readiness                   | emulation                            |
 * | readiness.markTimedOut()          | waiting                     | capture (`Server-Timing`)            |
 */

import type { z } from "zod";
import type { Agent, Tab } from "../browser/tab.ts";
import type { RequestRule } from "./interception.ts";
import type { Lifecycle } from "./main-frame.ts";
import type { Readiness } from "./readiness.ts";

declare module "zod" {
  interface GlobalMeta {
    /** How a query string writes a list: `lines` are separated by newlines instead of commas, for values that have commas. */
    reading?: "lines";
    /** What joins name and value where lines are given as a JSON object: `: ` unless said. */
    pairs?: "=";
    /** Longest that the lines of a list may be together, in characters. */
    charactersMax?: number;
    /** What is accepted, in words, where those that the schema gives would tell a person little. */
    valid?: string;
    /** `false`: two requests that differ in this alone are the same picture. */
    identity?: false;
  }
}

/** Bounds and defaults that the operator sets. */
export interface Limits {
  widthMax: number;
  heightMax: number;
  fullPageHeightMax: number;
  widthDefault: number;
  heightDefault: number;
  qualityDefault: number;
  timeoutMaxSeconds: number;
  pageLoadTimeoutMs: number;
}

/** What will be shot; groups set their own part of it. Lengths are CSS pixels. */
export interface Shot {
  viewport: { width: number; height: number };
  scale: number;
  format: "jpeg" | "png" | "webp";
  quality: number;
  /** Whether the page's own background is all there is behind it. */
  isTransparent: boolean;
  /** Device pixels within which the picture must fit; it is shrunk, never enlarged. */
  fit: { width?: number; height?: number };
  /** `clip` will be found by measuring the page, which has to stand still for that. */
  isMeasured: boolean;
  /** A part of the document, from its top left corner; the viewport as it is scrolled when absent. */
  clip?: { x: number; y: number; width: number; height: number };
  /** Visitor implied by the viewport, a mobile Chromium unless it has a user agent; the option `user_agent` overrides it. */
  impliedVisitor?: { userAgent?: string };
  /** The clip's size is the page's, not the caller's: what is too large of it is cut, with a warning. */
  mayBeCut: boolean;
  /** Height of a page that goes on growing, down to which all of it has loaded. */
  completeHeight?: number | undefined;
  /** What the clip shows, and its height before any of it was cut. */
  whole?: { what: "page" | "element"; height: number };
}

/** One capture under way, as its stages see it. */
export interface Work {
  readonly tab: Tab;
  readonly url: URL;
  readonly limits: Limits;
  readonly lifecycle: Lifecycle;
  readonly readiness: Readiness;
  /** What the page and the servers are told of its browser; groups change it before the navigation. */
  readonly agent: Agent;
  readonly shot: Shot;
  /** What the capture waits for, as the end of a sentence, once the target has answered; part of the error if its deadline ends it. */
  waitsFor?: string;
  /** Tells the caller of something that was cut, ignored or repaired. */
  warn(words: string): void;
}

/** `message` goes on after the parameter's name. */
export interface Conflict {
  parameter: string;
  message: string;
}

type PageWork<Options, Result = unknown> = { call(options: Options, work: Work): Promise<Result> | undefined }["call"];

/** Where a group's page work runs, in order: group after group as in the registry, except where all groups run at once. */
interface Stages<Options> {
  /** Prepares the tab; all groups at once. */
  beforeNavigation?: PageWork<Options>;
  /** Waits for the page, and completes it. */
  afterNavigation?: PageWork<Options>;
  /** Edits the ready page, and waits for what that causes. */
  afterReady?: PageWork<Options>;
  /** Decides what the image shows. This stage and those below run again when a shot has to be repeated. */
  frame?: PageWork<Options>;
  /** The clip is known now. */
  afterFraming?: PageWork<Options>;
  /** Beside the shot, all groups at once. `true`: the page was wrong and is now right, so shoot again. */
  duringShot?: PageWork<Options, boolean>;
}

export interface OptionGroup<Shape extends z.ZodRawShape = z.ZodRawShape, Options = z.output<z.ZodObject<Shape>>> extends Stages<Options> {
  title: string;
  /** One or two sentences for somebody who reads of the group for the first time; Markdown. */
  intro: string;
  /** Parameters of an example request, besides `api_key` and `url`. */
  example?: Record<string, string>;
  /** What is to be said after the parameters, in Markdown. */
  notes?: string;
  /** The stages run only if one of the options is set: not absent, false or an empty list. */
  onlyIfSet?: true;
  /** Public parameters with types, bounds, defaults and descriptions; all documents come from here. */
  parameters(limits: Limits): Shape;
  /** Values that parameters have because of one that stands for them; `given` and `defaults` by name. The result is checked like the query. */
  presets?(given: Readonly<Record<string, unknown>>, defaults: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** What is wrong with parameters together that are right each for itself. */
  conflicts?(options: Partial<Options>): Conflict[];
  /** Rules for the page's requests, where the options need any. */
  requests?(options: Options, url: URL): RequestRule | RequestRule[] | undefined;
}

/** Gives a group its exact type. */
export function optionGroup<Shape extends z.ZodRawShape>(group: OptionGroup<Shape>): OptionGroup<Shape> {
  return group;
}
