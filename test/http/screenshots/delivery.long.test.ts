/** All tests of delivery.test.ts. */

import "./delivery.test.ts";
