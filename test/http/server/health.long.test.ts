/** All tests of health.test.ts: also a Chromium that hangs. */

import "./health.test.ts";
