/** `wait_until=auto` compared with a long wait, on pages that load their content in different ways. */

import { testReadiness } from "./readiness-pages.ts";

testReadiness([
  "web font through @import",
  "rendered from a chain of fetches",
  "a worker's slow fetch",
  "fetch that is redirected",
  "rendered from requests to one URL, concurrent and sequential",
  "image by IntersectionObserver",
  "route chunk by import()",
  "polling",
  "CSS animations",
  "frame that loads late",
  "custom elements with shadow roots",
]);
