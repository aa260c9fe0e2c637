/** All tests of long-texts.test.ts. */

import "./long-texts.test.ts";
