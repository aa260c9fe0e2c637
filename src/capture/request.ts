/** The pipeline's input and output. */

import type { Format } from "../shared/formats.ts";
import type { UpstreamProxy } from "../shared/proxy-url.ts";
import type { StorageState } from "../shared/storage-state.ts";
import type { Explanation } from "./explanation.ts";
import type { Image } from "./image/spec.ts";
import type { MainFrame } from "./loading/main-frame.ts";
import type { TargetFacts } from "./loading/navigate.ts";
import type { WaitEnd } from "./loading/readiness.ts";
import type { Work } from "./option-group.ts";
import type { CaptureOptions, groupsFor } from "./options.ts";
import type { PageSignals } from "./verdict/page-facts.ts";
import type { Verdict } from "./verdict/verdict.ts";

/** Links in a page's main document and its open shadow roots. */
export interface PageLinks {
  url: string;
  /** Canonical URL that the page declares. */
  canonical: string | null;
  /** Distinct absolute http and https URLs, without fragments, in document order. `isNofollow`: crawlers are asked not to follow it. */
  addresses: { address: string; isNofollow: boolean }[];
  /**
   * Number of links left out because the page has too many, or their URLs are too long in total. Links after a limited number of elements
   * aren't counted.
   */
  omitted: number;
}

/** A captured image or document. */
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
  /** Identifies the session state that the page was loaded with; undefined without a session. */
  sessionVersion?: string | undefined;
  /** Set with the `explain` option. */
  explanation?: Explanation | undefined;
}

export interface CaptureRequest {
  options: CaptureOptions;
  /** Account that requested the capture; browsers are shared fairly between accounts. */
  account: string;
  /** Aborts at the deadline, when the client disconnects, or at shutdown; its reason is the error for the caller. */
  signal: AbortSignal;
  /** Deadline at which `signal` aborts, as a `performance.now()` time. */
  deadlineAt: number;
  /**
   * Nothing is requested from the target until this resolves, for example once quota has been reserved. If it rejects, the capture fails
   * with the same error.
   */
  permission?: Promise<unknown>;
  /** Called immediately before each load of the page. */
  beforeLoad?: (() => Promise<void>) | undefined;
  /** URLs to which the main frame may navigate, including redirects; any by default. Does not apply to frames inside the page. */
  mayNavigate?: (url: URL) => boolean;
  /** Proxy for all of the capture's connections, which are direct by default. */
  proxy?: UpstreamProxy | undefined;
  /**
   * Called once per load of the page, before the first step that types text, with the URLs of the target and the shown page. Resolves with
   * callbacks for the pages shown afterward, for each password typed, and for a failed capture. @throws {AppError} `rate_limited`.
   */
  startTyping?: Work["startTyping"];
  /**
   * Called before a sign-in types on a site, and for each site that is shown afterward; with `isFurther`, before it types another
   * password on the same site. @throws {AppError} `rate_limited`.
   */
  countTyping?: (page: URL, plan: Pick<SignIn, "url" | "signInHosts">, isFurther?: boolean) => Promise<void>;
  /** Opens the account's session with this name. @throws {AppError} `invalid_parameters`. */
  openSession?: (name: string) => Promise<OpenSession>;
  /** Warning about renewing the session's sign-in. Set after the first attempt, so that there is no second one. */
  signInWarning?: string | undefined;
}

export interface OpenSession {
  /** Identifies `state`. */
  version: string;
  state: StorageState;
  /** Hosts that the session is for; an update never adds any. */
  hosts: readonly string[];
  /** Replaces the saved state. Resolves to false if the session has been changed or deleted since it was opened. */
  save(state: StorageState): Promise<boolean>;
  /** Set if sign-in steps are saved with the session. */
  signIn?: SignIn | undefined;
}

/** A session's sign-in steps, and how to perform them one capture at a time. */
export interface SignIn {
  url: string;
  steps: Record<string, string | number>[];
  /** Hosts on which the steps may type, in addition to the site of `url`. */
  signInHosts: string[];
  /** Whether the capture must begin with a sign-in; otherwise only a sign-in page triggers it. */
  isNeeded: boolean;
  /** Whether the session has no state yet. */
  isFirst: boolean;
  /**
   * Waits while another capture is signing in. Resolves to `begun` if this capture must sign in now and then call `end`, to `renewed` if
   * the session has a new state, and otherwise to the reason why it may not sign in. `maxMs` limits the total time for waiting and signing
   * in; `pause` waits between checks.
   */
  begin(maxMs: number, pause: () => Promise<void>): Promise<"begun" | "renewed" | { refused: string }>;
  /** Saves the state or records the failure. Resolves to why no state was saved; undefined if it was, or if the sign-in was interrupted. */
  end(outcome: { state: StorageState; hosts: string[] } | { failure: string } | "interrupted"): Promise<string | undefined>;
}

/** A page in its tab, with the state of its capture. */
export interface OpenedPage {
  work: Work;
  /** Warnings for one output, and for all outputs of its load. */
  warnings: { output: Set<string>; load: Set<string> };
  mainFrame: MainFrame;
  /** Session whose state the page was loaded with. */
  session: OpenSession | undefined;
  /** Groups whose stages run. */
  groups: ReturnType<typeof groupsFor>;
  /** `queue` is a duration in milliseconds; the others are `performance.now()` times. */
  times: { queue: number; started: number; navigated?: number; ready?: number };
  /** Whether the page's scripts were stopped for good, because it changed or hung during the capture. */
  isStopped?: true;
  /** Whether the page's scripts are stopped for masking. They stay stopped after a failed attempt. */
  isPaused?: boolean;
}

/** An output, with facts about the document it shows. */
export type OutputSnapshot = [Output, { target: TargetFacts; signals: PageSignals }];

export type TakeCapture = (request: CaptureRequest) => Promise<Capture>;
