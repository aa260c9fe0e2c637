/** All tests of shell-examples.test.ts, and the examples of docs/options.md, docs/batches.md and docs/motion.md. */

import "./shell-examples.test.ts";
