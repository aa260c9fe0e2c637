/** All tests of blocking.test.ts, and the consent banners of all platforms. */

import "./blocking.test.ts";
