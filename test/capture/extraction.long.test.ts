/** All tests of extraction.test.ts. */

import "./extraction.test.ts";
