/** All tests of frame.test.ts. */

import "./frame.test.ts";
