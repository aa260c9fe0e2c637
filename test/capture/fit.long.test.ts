/** All tests of fit.test.ts. */

import "./fit.test.ts";
