/** All tests of openapi.test.ts. */

import "./openapi.test.ts";
