/** All tests of browserless.test.ts. */

import "./browserless.test.ts";
