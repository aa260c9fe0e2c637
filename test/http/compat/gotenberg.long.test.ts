/** All tests of gotenberg.test.ts. */

import "./gotenberg.test.ts";
