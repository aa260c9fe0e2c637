/** All tests of zip.test.ts. */

import "./zip.test.ts";
