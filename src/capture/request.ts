/** The pipeline's input and output. */

import type { Format } from "../shared/formats.ts";
import type { UpstreamProxy } from "../shared/proxy-url.ts";
import type { StorageState } from "../shared/storage-state.ts";
import type { Explanation } from "./explanation.ts";
import type { Image } from "./image/spec.ts";
import type { PageSignals } from "./in-page/page-signals.ts";
import type { MainFrame } from "./loading/main-frame.ts";
import type { TargetFacts } from "./loading/navigate.ts";
import type { WaitEnd } from "./loading/readiness.ts";
import type { Work } from "./option-group.ts";
import type { CaptureOptions, groupsFor } from "./options.ts";
import type { Verdict } from "./verdict/verdict.ts";

/** Links of a page, of its main document and open shadow roots. */
export interface PageLinks {
  /** URL of the page. */
  url: string;
  /** URL that the page declares as its own. */
  canonical: string | null;
  /** In document order, each once. Absolute http and https URLs without fragments; `isNofollow` if page or link ask not to follow it. */
  addresses: { address: string; isNofollow: boolean }[];
  /** Number of links that were not read, because the page has too many. */
  omitted: number;
}

/** The image or document. */
export interface Output extends Omit<Image, "width" | "height"> {
  /** Device pixels; `null` for a document. */
  width: number | null;
  height: number | null;
}

export interface Capture extends Output {
  format: Format;
  target: TargetFacts;
  /** Classification of the image: the page itself, or something in its place. */
  verdict: Verdict;
  warnings: string[];
  timings: { queue: number; navigate: number; wait: number; shoot: number }; // milliseconds
  waitEnded: WaitEnd;
  /** Identifies the state of the session with which the page was loaded; undefined without a session. */
  sessionVersion?: string | undefined;
  /** Set with the `explain` option. */
  explanation?: Explanation | undefined;
}

export interface CaptureRequest {
  options: CaptureOptions;
  /** Account of the capture; browsers are shared fairly between owners. */
  owner: string;
  /** Aborts at the deadline, when the client disconnects, or at shutdown; its reason is the caller's error. */
  signal: AbortSignal;
  /** Deadline by `performance.now()`, at which `signal` aborts. */
  deadlineAt: number;
  /**
   * Nothing is requested from the target until this resolves, for example once the quota is reserved. If it rejects, the capture fails with
   * its reason.
   */
  permission?: Promise<unknown>;
  /** Called directly before the page is loaded, each time. */
  beforeLoad?: (() => Promise<void>) | undefined;
  /** URLs to which the main frame may navigate, including redirects; any by default. Does not apply to frames inside the page. */
  mayNavigate?: (url: URL) => boolean;
  /** Proxy that all connections of the capture go through; by default they are direct. */
  proxy?: UpstreamProxy | undefined;
  /**
   * Called once before steps type, with the addresses of the target and the shown page. Resolves with what is to be told about the pages
   * that follow, and if the capture fails. @throws {AppError} `rate_limited`.
   */
  startTyping?: Work["startTyping"];
  /** Called before a sign-in types on a site, and for each site that it shows afterwards. @throws {AppError} `rate_limited`. */
  countTyping?: (page: URL, plan: Pick<SignIn, "url" | "signInHosts">) => Promise<void>;
  /** Opens the account's session with this name. @throws {AppError} `invalid_parameters`. */
  openSession?: (name: string) => Promise<OpenSession>;
  /** Warning about the session's second sign-in for this capture; set once it was tried, so that it isn't tried again. */
  signInWarning?: string | undefined;
}

export interface OpenSession {
  /** Identifies the state that was opened. */
  version: string;
  state: StorageState;
  /** Hosts that the session is for; an update never adds any. */
  hosts: readonly string[];
  /** Replaces the saved state. False if others have changed or deleted the session since it was opened. */
  save(state: StorageState): Promise<boolean>;
  /** Set if the session can sign in on its own. */
  signIn?: SignIn | undefined;
}

/** How a session signs in; see accounts/sessions/sign-ins.ts. */
export interface SignIn {
  url: string;
  steps: Record<string, string | number>[];
  /** Further hosts on which the steps may type; by default only the site of `url`. */
  signInHosts: string[];
  /** Whether the capture begins with it. */
  isNeeded: boolean;
  /** Whether the session has no state before it. */
  isFirst: boolean;
  begin(maxMs: number, pause: () => Promise<void>): Promise<"begun" | "renewed" | { refused: string }>;
  end(outcome: { state: StorageState; hosts: string[] } | { failure: string } | "interrupted"): Promise<string | undefined>;
}

/** A tab that goes through the stages of a capture. */
export interface OpenedPage {
  work: Work;
  /** Warnings for one output, and for all outputs of its load. */
  warnings: { output: Set<string>; load: Set<string> };
  mainFrame: MainFrame;
  /** Session with whose state the page was loaded. */
  session: OpenSession | undefined;
  /** Groups whose stages are run. */
  groups: ReturnType<typeof groupsFor>;
  /** `queue` in milliseconds; the others by `performance.now()`. */
  times: { queue: number; started: number; navigated?: number; ready?: number };
  /** Whether the page's scripts were stopped for good, because it kept changing. */
  isStopped?: true;
  /** Whether its scripts stand still for masks; they still do after an attempt that failed. */
  isPaused?: boolean;
}

/** An output, with facts about the document it shows. */
export type OutputSnapshot = [Output, { target: TargetFacts; signals: PageSignals }];

export type TakeCapture = (request: CaptureRequest) => Promise<Capture>;
