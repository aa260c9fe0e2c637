/** All tests of start.test.ts, with more moments and roles at which the process is stopped. */

import "./start.test.ts";
