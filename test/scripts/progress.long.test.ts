/** All tests of progress.test.ts. */

import "./progress.test.ts";
