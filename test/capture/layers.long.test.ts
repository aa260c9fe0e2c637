/** All tests of layers.test.ts. */

import "./layers.test.ts";
