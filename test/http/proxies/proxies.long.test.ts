/** All tests of proxies.test.ts. */

import "./proxies.test.ts";
