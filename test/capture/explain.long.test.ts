/** All tests of explain.test.ts. */

import "./explain.test.ts";
