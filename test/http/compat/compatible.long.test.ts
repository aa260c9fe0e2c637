/** All tests of compatible.test.ts. */

import "./compatible.test.ts";
