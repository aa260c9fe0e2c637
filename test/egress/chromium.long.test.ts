/** All tests of chromium.test.ts. */

import "./chromium.test.ts";
