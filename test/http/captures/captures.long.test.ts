/** All tests of captures.test.ts. */

import "./captures.test.ts";
