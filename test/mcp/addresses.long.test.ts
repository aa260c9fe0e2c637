/** All tests of addresses.test.ts. */

import "./addresses.test.ts";
