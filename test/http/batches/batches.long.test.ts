/** All tests of batches.test.ts. */

import "./batches.test.ts";
