/** All tests of outputs.test.ts, with more outputs of one load. */

import "./outputs.test.ts";
