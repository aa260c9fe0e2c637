/** All tests of shell-examples.test.ts, and those of docs/options.md. */

import "./shell-examples.test.ts";
