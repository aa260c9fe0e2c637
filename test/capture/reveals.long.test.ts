/** All tests of reveals.test.ts. */

import "./reveals.test.ts";
