/** All tests of start.test.ts, and stopping the process at more moments and in more roles. */

import "./start.test.ts";
