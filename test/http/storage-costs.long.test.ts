/** All tests of storage-costs.test.ts. */

import "./storage-costs.test.ts";
