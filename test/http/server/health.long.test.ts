/** All tests of health.test.ts, and also a Chromium that hangs. */

import "./health.test.ts";
