/** All tests of bound-keys.test.ts. */

import "./bound-keys.test.ts";
