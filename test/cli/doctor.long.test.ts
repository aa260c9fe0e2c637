/** All tests of doctor.test.ts. */

import "./doctor.test.ts";
