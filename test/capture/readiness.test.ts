/** `wait_until=auto` compared with a long wait, on pages that load their content in different ways. */

import { testReadiness } from "./readiness-pages.ts";

testReadiness([
  "web font through @import",
  "rendered from a chain of fetches",
  "a worker's slow fetch",
  "a worker's quick fetch",
  "fetch that is redirected",
  "rendered from requests to one URL, concurrent and sequential",
  "image by IntersectionObserver",
  "background image in a late style sheet",
  "route chunk by import()",
  "polling",
  "long poll of its own",
  "CSS animations",
  "frame that loads late",
  "custom elements with shadow roots",
]);
