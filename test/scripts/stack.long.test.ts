/** All tests of stack.test.ts. */

import "./stack.test.ts";
