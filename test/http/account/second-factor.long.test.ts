/** All tests of second-factor.test.ts. */

import "./second-factor.test.ts";
