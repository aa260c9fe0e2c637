/** All tests of page-sessions.test.ts. */

import "./page-sessions.test.ts";
