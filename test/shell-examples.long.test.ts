/** All tests of shell-examples.test.ts, with those of docs/options.md. */

import "./shell-examples.test.ts";
