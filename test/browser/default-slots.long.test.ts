/** All tests of default-slots.test.ts. */

import "./default-slots.test.ts";
