/** All tests of audit.test.ts. */

import "./audit.test.ts";
