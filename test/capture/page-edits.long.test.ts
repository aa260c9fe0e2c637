/** All tests of page-edits.test.ts. */

import "./page-edits.test.ts";
