/** All tests of emulation.test.ts. */

import "./emulation.test.ts";
