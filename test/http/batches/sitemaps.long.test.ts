/** All tests of sitemaps.test.ts. */

import "./sitemaps.test.ts";
