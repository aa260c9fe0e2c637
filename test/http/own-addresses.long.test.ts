/** All tests of own-addresses.test.ts. */

import "./own-addresses.test.ts";
