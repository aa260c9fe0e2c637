/** All tests of programs.test.ts. */

import "./programs.test.ts";
