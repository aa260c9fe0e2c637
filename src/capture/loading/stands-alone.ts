/** Recognizes documents that look the same at any address: they run nothing, load nothing, and have no frames. */

/** Longer documents are not searched: rendering them takes far longer than the time that could be saved. */
const lengthMax = 256 * 1024;

const dependent = [
  /** Elements that run scripts, load something or embed a document. */
  /<(?:script|i?frame|frameset|fencedframe|object|embed|applet|link|base|portal)\b/i,
  /** `meta` elements that act like headers, and shadow roots, which only the parser of a loaded document attaches. */
  /http-equiv|shadowroot/i,
  /** Event handlers; an attribute may follow another without a space. */
  /[\s"'/]on[a-z]+\s*=/i,
  /** Escapes, which can hide URLs from the patterns below; SVG animation elements, which can set any attribute; and `srcset`. */
  /\\|&#|<(?:set|animate)|srcset/i,
  /** Embedded images, which may be animated: animations can be stopped only in a loaded document. */
  /data:/i,
  /** URLs other than `data:` and fragments of the document itself. */
  /(?:src|srcset|href|poster|background|attributionsrc|action)\s*=(?!["']?(?:data:|#))/i,
  /** The same in style sheets. */
  /@import|image-set|(?:url|src)\((?!["']?(?:data:|#))/i,
];

/**
 * Whether the document may be written into a blank page instead of being loaded from its address. Errs on the side of loading it. Security
 * doesn't depend on this: whatever a document loads passes through the egress filter in either case.
 */
export function standsAlone(html: string): boolean {
  if (html.length > lengthMax || html.startsWith("\ufeff") || html.includes("\0") || !html.isWellFormed()) return false;
  return !dependent.some((pattern) => pattern.test(html));
}
