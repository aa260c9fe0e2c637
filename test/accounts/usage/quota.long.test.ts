/** All tests of quota.test.ts. */

import "./quota.test.ts";
