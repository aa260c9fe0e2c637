/** All tests of sign-up.test.ts. */

import "./sign-up.test.ts";
