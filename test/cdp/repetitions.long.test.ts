/** All tests of repetitions.test.ts. */

import "./repetitions.test.ts";
