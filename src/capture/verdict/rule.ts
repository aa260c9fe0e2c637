/** The type of a verdict's rules. */

import type { Subject } from "./phrases/says.ts";
import type { WallKind } from "./wall-kind.ts";

export interface Rule {
  id: string;
  kind: WallKind;
  /** From 0 to 1. */
  confidence: number;
  /** A human-readable sentence. */
  reason: string;
  /** Its words are on no other pages: they need not be most of what the page says. */
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
    /** The visible text says all of this in any language. */
    says?: Subject[];
    /** A link or button of the main part says this in any language. */
    actionSays?: Subject;
    /** The text of a layer that covers the page says this, and one of its buttons. */
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
    /** `true`: the target must have redirected to another host. */
    leftHost?: boolean;
    /** Maximum characters of visible text, at most 4,000: walls have little. Longer text isn't read, so rules with `text` need it. */
    textMax?: number;
    /** Maximum characters of the main part, without headers, navigation and footers. */
    mainMax?: number;
    headingsMax?: number;
    /** Text fields. */
    fieldsMin?: number;
    fieldsMax?: number;
    /** Walls have few buttons; shops, lists and applications have many. */
    buttonsMax?: number;
    /** A button or link of the layer that covers the page. */
    overlayAction?: RegExp;
    /** Maximum number of images, drawings, videos and frames. */
    mediaMax?: number;
    /** Whether there is a password field. `1`: exactly one, as in forms to sign in, but not to change a password. */
    password?: boolean | 1;
    /** Whether the form with the only password field may choose a new password, as in forms to sign up. */
    newPassword?: boolean;
    /** Maximum characters of the main part outside of the form with the only password field. */
    outsideFormMax?: number;
  };
}

/** For lists of rules of one kind. */
export type RuleOfKind = Omit<Rule, "kind">;
