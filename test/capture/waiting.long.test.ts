/** All tests of waiting.test.ts. */

import "./waiting.test.ts";
