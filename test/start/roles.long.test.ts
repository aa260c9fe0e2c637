/** All tests of roles.test.ts. */

import "./roles.test.ts";
