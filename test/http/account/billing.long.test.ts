/** All tests of billing.test.ts. */

import "./billing.test.ts";
