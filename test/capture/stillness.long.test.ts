/** All tests of stillness.test.ts. */

import "./stillness.test.ts";
