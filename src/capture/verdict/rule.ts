/** The type of verdict rules. */

import type { Subject, WallKind } from "./phrases/says.ts";

export interface Rule {
  id: string;
  kind: WallKind;
  /** From 0 to 1. */
  confidence: number;
  /** A human-readable sentence. */
  reason: string;
  /** Its words appear on no other pages, so they need not make up most of the text. */
  isUnmistakable?: true;
  /** URL that documents or demonstrates what the rule matches. */
  source: string;
  /** Conditions, all of which must hold. */
  when: {
    status?: number[];
    title?: RegExp;
    /** The title or the first heading. */
    headline?: RegExp;
    /** The title, the first heading or the first line of the main part says this in any language. */
    headlineSays?: Subject;
    /** The visible text says all of these, in any language. */
    says?: Subject[];
    /** A link or button of the main part says this in any language. */
    actionSays?: Subject;
    /** The text of a layer that covers the page says this, and one of its buttons says `overlayActionSays`. */
    overlaySays?: Subject;
    overlayActionSays?: Subject;
    /** All must match the visible text. */
    text?: RegExp[];
    /** All must match the text of a layer that covers the page. */
    overlay?: RegExp[];
    /** The URL of a script, frame or form. */
    resource?: RegExp;
    shownHost?: RegExp;
    shownPath?: RegExp;
    /** The requested path must not match. */
    requestedPath?: { not: RegExp };
    /** If true, the target must have redirected to another host. */
    leftHost?: boolean;
    /** Maximum characters of visible text, at most 4,000: walls have little. Longer text isn't read, so rules with `text` need this. */
    textMax?: number;
    /** Maximum characters of the main part, without headers, navigation and footers. */
    mainMax?: number;
    headingsMax?: number;
    /** Number of text fields. */
    fieldsMin?: number;
    fieldsMax?: number;
    /** Walls have few buttons; shops, lists and applications have many. */
    buttonsMax?: number;
    /** A button or link in the layer that covers the page. */
    overlayAction?: RegExp;
    /** Maximum number of images, drawings, videos and frames. */
    mediaMax?: number;
    /** Whether there is a password field. `1`: exactly one, as in sign-in forms, but not in forms that change a password. */
    password?: boolean | 1;
    /** Whether the form with the only password field may be for choosing a new password, as in sign-up forms. */
    newPassword?: boolean;
    /** Maximum characters of the main part outside the form with the only password field. */
    outsideFormMax?: number;
  };
}

/** Omits `kind`, which the lists of rules imply. */
export type RuleOfKind = Omit<Rule, "kind">;
