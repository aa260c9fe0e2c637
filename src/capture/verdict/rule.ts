/** The form of a rule for verdicts. */

export type WallKind = "bot_wall" | "login_wall" | "consent_wall" | "parked" | "error_page";

export interface Rule {
  id: string;
  kind: WallKind;
  /** From 0 to 1. */
  confidence: number;
  /** A sentence for a person. */
  reason: string;
  /** Where the mark is described or can be seen. */
  source: string;
  when: {
    status?: number[];
    title?: RegExp;
    /** The title or the first heading. */
    headline?: RegExp;
    /** Each has to match the visible text. */
    text?: RegExp[];
    /** Each has to match the text of a layer that covers the page. */
    overlay?: RegExp[];
    /** The URL of a script, frame or form. */
    resource?: RegExp;
    shownHost?: RegExp;
    shownPath?: RegExp;
    /** Not if the caller requested such a path. */
    requestedPath?: { not: RegExp };
    /** The target redirected to another host. */
    leftHost?: boolean;
    /** Characters of visible text, at most: walls say little. */
    textMax?: number;
    headingsMax?: number;
    /** Images, drawings, videos and frames, at most. */
    mediaMax?: number;
    /** Whether there is a password field. */
    password?: boolean;
  };
}

/** The kind is that of the list. */
export type RuleOfKind = Omit<Rule, "kind">;
