/** All tests of destinations.test.ts. */

import "./destinations.test.ts";
