/** All tests of journey.test.ts. */

import "./journey.test.ts";
