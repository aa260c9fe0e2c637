/** All tests of parse-take-request.test.ts. */

import "./parse-take-request.test.ts";
