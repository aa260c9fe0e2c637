/** `wait_until=auto` compared with a long wait, on pages that load their content in different ways. */

import { testReadiness } from "./readiness-pages.ts";

testReadiness([
  "web font through @import",
  "rendered from a chain of fetches",
  "a worker's slow fetch",
  "a worker that fetches when it gets a message",
  "rendered from requests to one URL, concurrent and sequential",
  "image by IntersectionObserver",
  "polling",
  "CSS animations",
]);
