/** All tests of cli.test.ts. */

import "./cli.test.ts";
