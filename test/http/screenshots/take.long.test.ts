/** All tests of take.test.ts. */

import "./take.test.ts";
