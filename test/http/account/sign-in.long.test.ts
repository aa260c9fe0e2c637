/** All tests of sign-in.test.ts. */

import "./sign-in.test.ts";
