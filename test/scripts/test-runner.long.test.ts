/** All tests of test-runner.test.ts. */

import "./test-runner.test.ts";
