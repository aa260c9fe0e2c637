/** All tests of identity.test.ts. */

import "./identity.test.ts";
