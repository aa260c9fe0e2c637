/**
 * Defines a group of capture options: its parameters, and the page work that implements them.
 *
 * Groups don't import each other. They share state through `Work`. In this table, a bare name is a group's file in options/, and a path is
 * relative to this folder:
 *
 * | shared                           | set mainly by           | read mainly by                  |
 * | -------------------------------- | ----------------------- | ------------------------------- |
 * | shot.viewport, shot.scale        | viewport                | frame, image/, take-shot.ts     |
 * | shot.format, .quality            | image                   | image/, take-shot.ts            |
 * | shot.fit                         | image, fit              | image/                          |
 * | shot.slices                      | slices                  | image/, outputs.ts              |
 * | shot.document                    | image                   | documents/, frame, take-shot.ts |
 * | shot.motion                      | image                   | clock, steps, take-shot.ts      |
 * | shot.isElement                   | find-part.ts            | documents/                      |
 * | shot.isRedacted                  | masks.ts                | outputs.ts, masks.ts            |
 * | shot.isTransparent               | image                   | image/                          |
 * | shot.isMeasured                  | frame                   | clock, emulation, waiting       |
 * | shot.clip, .whole, .mayBeCut     | frame                   | emulation, image/, take-shot.ts |
 * | shot.hasForeignFrames, hasLayers | find-part.ts            | image/                          |
 * | shot.elements                    | find-part.ts            | take-shot.ts                    |
 * | shot.completeHeight              | frame                   | frame, scrolling/, outputs.ts   |
 * | shot.scrolledHeight              | scrolling/              | scrolling/                      |
 * | waitsFor                         | several stages          | capture.ts, loading/partial.ts  |
 * | agent                            | viewport, …, identity   | load-page.ts                    |
 * | readiness.useClock()             | clock                   | waiting, page-edits, scrolling/ |
 * | readiness.followFetches()        | waiting, steps, …       | loading/readiness.ts            |
 * | readiness.invalidate()           | page-edits, steps, …    | waiting, blocking, frame        |
 * | shot.hidContent, changesOnScroll | scrolling/              | frame                           |
 * | shot.movesLayers                 | scrolling/              | find-part.ts                    |
 * | readiness.moves()                | loading/readiness.ts    | emulation                       |
 * | readiness.markTimedOut()         | waiting                 | capture.ts (`Server-Timing`)    |
 * | typeText                         | load-page.ts            | steps.ts                        |
 * | typedPassword, typing            | steps.ts                | reasons.ts, capture.ts          |
 * | recorder                         | explain, several stages | capture.ts                      |
 * | record                           | load-page.ts            | logs/har.ts                     |
 */

import type { z } from "zod";
import type { Agent, Tab } from "../browser/tab.ts";
import type { DocumentFormat, MotionFormat } from "../shared/formats.ts";
import type { Typing } from "../shared/typing.ts";
import type { Recorder } from "./explanation.ts";
import type { ImageSpec } from "./image/spec.ts";
import type { RequestRule } from "./loading/interception.ts";
import type { Lifecycle } from "./loading/main-frame.ts";
import type { Readiness } from "./loading/readiness.ts";
import type { RequestRecord } from "./logs/request-record.ts";

declare module "zod" {
  interface GlobalMeta {
    /** How a query string separates a list's items: `lines` uses newlines instead of commas, for values that contain commas. */
    reading?: "lines";
    /** Set if each line is a name and a value: the separator between them. The list may then also be sent as a JSON object. */
    pairs?: ": " | "=";
    /** Maximum total length of all lines in a list, in characters. */
    charactersMax?: number;
    /** Description of valid values, if the one derived from the schema is unclear. */
    valid?: string;
    /** `false` if the option doesn't affect the image and is therefore not part of the cache key. */
    identity?: false;
    /** Set if the value is a document: only its hash is logged, stored and used in the cache key. */
    digest?: true;
    /**
     * What another output of the same request needs if its value differs: another `load`, because the server or the page's first scripts
     * can observe it; another `window`; another `frame` of the page; or only another `image`. If unset, the page is shown differently and
     * has to settle again. `shared`: all outputs must have the same value; `none`: only requests with a single output accept the option.
     */
    output?: "load" | "window" | "frame" | "image" | "shared" | "none";
    /** Set if only outputs of `POST /v1/captures` accept the option. */
    isForCaptures?: true;
    /**
     * If set, outputs share a load only if the page is shown the same way for all of them. With `frame`, the captured part must also be
     * the same.
     */
    sharesLoad?: "page" | "frame";
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

/** The image to capture: each group sets its part. Lengths are in CSS pixels. */
export interface ShotSettings extends ImageSpec {
  /** Renders the page as a document in this format instead of an image. */
  document?: DocumentFormat | undefined;
  /** Records the page in this format; the image then describes each frame. */
  motion?: MotionFormat | undefined;
  /** Whether the document contains only a single element. */
  isElement?: boolean;
  /** Whether `clip` depends on measurements of the page, which then must not move until it is captured. */
  isMeasured: boolean;
  /** Number of elements in the page, if it was measured. */
  elements?: number;
  /** Whether the page had hidden content when it was scrolled through. */
  hidContent?: boolean;
  /** Whether attributes of the page's elements changed while it was scrolled through. */
  changesOnScroll?: boolean;
  /** Whether scripts moved large fixed layers when the page was scrolled. */
  movesLayers?: boolean;
  /** Height down to which a growing page has been loaded. */
  completeHeight?: number | undefined;
  /** Whether masked content was removed from the page for a document. */
  isRedacted?: boolean;
  /** Height of the page when it was scrolled through. */
  scrolledHeight?: number;
}

/** The state of one capture, shared by its stages. */
export interface Work {
  readonly tab: Tab;
  /** Account that requested the capture. */
  readonly account: string;
  readonly url: URL;
  readonly limits: Limits;
  /** Deadline of the capture, as a `performance.now()` time. */
  readonly deadlineAt: number;
  readonly lifecycle: Lifecycle;
  readonly readiness: Readiness;
  /** The browser's identity as pages and servers see it; groups change it before the navigation. */
  readonly agent: Agent;
  readonly shot: ShotSettings;
  /** What the capture is waiting for, as the end of a sentence in a timeout error; undefined until the target responds. */
  waitsFor?: string;
  /** HTML of the document if it was written into the blank page; it then has no URL or status of its own. */
  written?: string;
  /** Types into the focused field. Set during a session's sign-in, because only some hosts may receive its secrets. */
  typeText?(text: string): Promise<void>;
  /** Call before any step types text, with the URLs of the target and the shown page. @throws {AppError} `rate_limited`. */
  readonly startTyping?: ((pages: URL[]) => Promise<Typing>) | undefined;
  typing?: Typing | undefined; // the result of `startTyping`
  /** Set once steps may have typed into a password field: errors then don't quote the page, and its URL is returned without a query. */
  typedPassword?: true;
  /** Set with the `fail_on_failed_request` option. */
  failedRequests?: { readonly first?: string; readonly firstUnquoted?: string };
  /** The page's requests; set if an output of the load has `format=har`. */
  record?: RequestRecord;
  readonly recorder?: Recorder | undefined;
  /** Warns the caller that something was cut off, ignored or repaired. */
  warn(message: string): void;
  /** Adds a warning to every output of the load. */
  warnAll(message: string): void;
}

/** `message` continues a sentence that begins with the parameter's name. */
export interface Conflict {
  parameter: string;
  message: string;
}

type PageWork<Options, Result = unknown> = { call(options: Options, work: Work): Promise<Result> | undefined }["call"];

/**
 * The stages of a group's page work, in order. `load` runs `show` and `beforeNavigation`. Once the target's document is shown,
 * `afterNavigation` waits until the page is ready; then `edit` and `afterReady` run. The shot runs `frame`, `afterFraming` and
 * `duringShot`. `judge` comes last. Within a stage, groups run one after another unless stated otherwise.
 */
interface Stages<Options> {
  /**
   * Sets how the page is shown; all groups run concurrently. Runs before the navigation and, for each later output of a load, in the
   * loaded page. In the latter case, `before` contains the options of the previous output, whose effects must be undone.
   */
  show?: { call(options: Options, work: Work, before?: Options): Promise<unknown> | undefined }["call"];
  /** Prepares the tab; all groups run concurrently. */
  beforeNavigation?: PageWork<Options>;
  /** Waits for the page and loads its lazy content. This and all subsequent stages except `edit` run again for each later output. */
  afterNavigation?: PageWork<Options>;
  /** Edits the ready page. */
  edit?: PageWork<Options>;
  /** Waits for the effects of the edits. */
  afterReady?: PageWork<Options>;
  /** Determines the part of the page that the image shows. This and the next two stages run again if a shot has to be repeated. */
  frame?: PageWork<Options>;
  /** Runs once the clip is known. */
  afterFraming?: PageWork<Options>;
  /**
   * Runs while the image is being captured; all groups run concurrently. Resolves to true if it changed the page, in which case the image
   * is captured again.
   */
  duringShot?: PageWork<Options, boolean>;
  /** Runs once the output has been captured, and throws if it must not be delivered. */
  judge?: PageWork<Options>;
}

export interface OptionGroup<Shape extends z.ZodRawShape = z.ZodRawShape, Options = z.output<z.ZodObject<Shape>>> extends Stages<Options> {
  title: string;
  /** One or two introductory sentences, in Markdown. */
  intro: string;
  /** Parameters of an example request, besides `api_key` and `url`. */
  example?: Record<string, string>;
  /** Notes after the table of parameters, in Markdown. */
  notes?: string;
  /**
   * If present, the stages run only if one of these options (with `true`, any of the group's options) is set: present, not its default, and
   * not an empty list.
   */
  onlyIfSet?: true | readonly (keyof Options)[];
  /** Public parameters with types, bounds, defaults and descriptions; the documentation is generated from them. */
  parameters(limits: Limits): Shape;
  /** Values that a device, for example, implies for other parameters. `given` and `defaults` are keyed by name; the result is validated. */
  presets?(given: Readonly<Record<string, unknown>>, defaults: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Conflicts between parameters that are each valid on their own. */
  conflicts?(options: Partial<Options>): Conflict[];
  /** Rules for the page's requests, if the options need any. */
  requests?(options: Options, url: URL): RequestRule | RequestRule[] | undefined;
}

/** Declares a group with its exact type. */
export function optionGroup<Shape extends z.ZodRawShape>(group: OptionGroup<Shape>): OptionGroup<Shape> {
  return group;
}
