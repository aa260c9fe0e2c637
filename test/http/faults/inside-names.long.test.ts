/** All tests of inside-names.test.ts. */

import "./inside-names.test.ts";
