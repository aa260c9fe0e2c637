/** All tests of beyond-viewport.test.ts. */

import "./beyond-viewport.test.ts";
