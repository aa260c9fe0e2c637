/** All tests of replaced.test.ts. */

import "./replaced.test.ts";
