/** The facts about a page on which its verdict is based. */

/** Signals that distinguish a page from a wall (such as a paywall), an error or a placeholder, as read in the page. */
export interface PageSignals {
  title: string;
  /** Visible text with single spaces; empty if it is longer than 4,000 characters, or if the page has more elements than walls do. */
  text: string;
  /** Lines of `text` outside the page's header, footer, navigation and sidebars. */
  mainLines: string[];
  /** Length of the longest article, product or post on the page; 0 for pages without `text`. */
  articleLength: number;
  /** Number of rows, list items, articles and the like in the main part with at least 40 characters, among the first 100 on the page. */
  items: number;
  /** The form with the only visible password field; null if there is none, and for pages without `text`. */
  passwordForm: {
    /** Whether the form is for choosing a password: its autocomplete says so, or it has a text area or more than two other fields. */
    isNew: boolean;
    /** Number of characters in the main part outside the form. */
    outside: number;
    /** Text of the form's buttons. */
    action: string;
  } | null;
  /** Text of each link and button in the main part, at most 40, truncated to 60 characters each. */
  mainActions: string[];
  /** Text of each of the first 50 code, sample and quotation elements; empty for pages with more elements than walls have. */
  quotations: string[];
  /** Length of the visible text in characters, at most 4,001; also 4,001 for pages with more elements than walls have. */
  textLength: number;
  /** Text of the first heading. */
  heading: string;
  /** Number of headings, not counting the lowest two levels; walls have few. */
  headings: number;
  /** Number of visible password fields among the first 10. */
  passwordFields: number;
  /** Number of visible text fields among the first 20; walls have few. */
  fields: number;
  /** Number of visible buttons among the first 30. */
  buttons: number;
  /** Number of visible images, drawings, videos and frames of at least 100 × 100 pixels, among the first 100. */
  media: number;
  /** URLs of the first 200 scripts, frames and forms, each truncated to 300 characters. */
  resources: string[];
  /**
   * Text of a modal dialog, of a layer over at least half of the viewport, or of one in front of another that covers the page; with its
   * frames' titles, URLs and text. Otherwise empty.
   */
  overlay: string;
  /** Text of each button and link in the layer, at most 50. */
  overlayActions: string[];
}

/** Facts about a captured page. */
export interface PageFacts extends PageSignals {
  requested: URL;
  /** The URL after redirects. */
  shown: URL;
  /** HTTP status, 0 if unknown. */
  status: number;
  /** Whether the image has a single color and the page no visible content. */
  isBlank: boolean;
}
