/** All tests of schedule.test.ts. */

import "./schedule.test.ts";
