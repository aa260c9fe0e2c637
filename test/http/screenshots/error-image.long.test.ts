/** All tests of error-image.test.ts. */

import "./error-image.test.ts";
