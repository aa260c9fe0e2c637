/** All tests of names.test.ts. */

import "./names.test.ts";
