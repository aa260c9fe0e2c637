/** All tests of mailed-links.test.ts. */

import "./mailed-links.test.ts";
