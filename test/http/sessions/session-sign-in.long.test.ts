/** All tests of session-sign-in.test.ts. */

import "./session-sign-in.test.ts";
