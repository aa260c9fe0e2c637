/** All tests of outputs.test.ts, and more outputs per load. */

import "./outputs.test.ts";
