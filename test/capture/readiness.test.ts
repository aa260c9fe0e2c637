/** `wait_until=auto` compared with a long wait, on pages that load their content in different ways. */

import { testReadiness } from "./readiness-pages.ts";

testReadiness([
  "web font through @import",
  "rendered from a chain of fetches",
  "a worker's slow fetch",
  "a worker whose script, and then an imported one, arrive late",
  "a module worker with a late import",
  "a worker that fetches when it gets a message",
  "a worker in a blob that imports its script",
  "a worker that is terminated while it fetches",
  "workers that never load or never return",
  "fetch that is redirected",
  "rendered from requests to one URL, concurrent and sequential",
  "image by IntersectionObserver",
  "route chunk by import()",
  "polling",
  "CSS animations",
  "frame that loads late",
  "custom elements with shadow roots",
]);
