/** The type of verdict rules. */

/** The verdicts that rules can give. */
export type WallKind = "bot_wall" | "login_wall" | "consent_wall" | "parked" | "error_page";

/** Kinds of phrases, which are recognized in many languages. */
export type Subject =
  | ("notFound" | "failed" | "maintenance" | "otherRegion" | "suspended" | "members" | "signIn" | "signUp")
  | ("signOut" | "next" | "human" | "age" | "consent" | "agree" | "noSite" | "adult" | "denied" | "suspicion" | "defaultPage")
  | ("oldBrowser" | "internet");

export interface Rule {
  id: string;
  kind: WallKind;
  /** From 0 to 1. */
  confidence: number;
  /** A human-readable sentence. */
  reason: string;
  /** The rule's words don't appear on ordinary pages, so they need not make up most of the text. */
  isUnmistakable?: true;
  /** URL that documents or demonstrates what the rule matches. */
  source: string;
  /** Conditions that must all hold. */
  when: {
    status?: number[];
    title?: RegExp;
    /** The title or the first heading; on a short page, also one of the first lines of the main part. */
    headline?: RegExp;
    /** The title, the first heading or the first line of the main part says this, in any supported language; on a short page, also the next two. */
    headlineSays?: Subject;
    /** The visible text says all of these, in any supported language. */
    says?: Subject[];
    /** A link or button in the main part says this, in any supported language. */
    actionSays?: Subject;
    /** The text of a layer that covers the page says this, in any supported language. */
    overlaySays?: Subject;
    /** A button or link in the layer that covers the page says this, in any supported language. */
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
    /**
     * Maximum number of characters of visible text, at most 4,000; walls have little text. On a page with more, no text is read, so `text`
     * never matches.
     */
    textMax?: number;
    /** Maximum number of characters in the main part, not counting headers, navigation and footers. */
    mainMax?: number;
    headingsMax?: number;
    /** Minimum number of text fields. */
    fieldsMin?: number;
    fieldsMax?: number;
    /** Maximum number of buttons: walls have few; shops, lists and applications have many. */
    buttonsMax?: number;
    buttonsMin?: number;
    /** Minimum number of services that links and buttons in the main part name, such as Google and Facebook. */
    providersMin?: number;
    /** A link or button in the main part. */
    action?: RegExp;
    /** A button or link in the layer that covers the page. */
    overlayAction?: RegExp;
    /** Maximum number of images, drawings, videos and frames. */
    mediaMax?: number;
    /** Whether there is a password field. `1`: exactly one, as in sign-in forms, but not in forms that change a password. */
    password?: boolean | 1;
    /** Whether the form with the only password field may be for choosing a new password, as in sign-up forms. */
    newPassword?: boolean;
    /** Maximum number of characters in the main part outside the form that has the only password field. */
    outsideFormMax?: number;
  };
}

/** Omits `kind`, which is implied by the list that contains the rule. */
export type RuleOfKind = Omit<Rule, "kind">;
