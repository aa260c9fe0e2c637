/** All tests of foreign-frames.test.ts. */

import "./foreign-frames.test.ts";
