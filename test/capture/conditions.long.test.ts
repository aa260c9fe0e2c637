/** All tests of conditions.test.ts. */

import "./conditions.test.ts";
