/** All tests of logs.test.ts. */

import "./logs.test.ts";
