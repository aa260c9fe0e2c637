/** All tests of content.test.ts. */

import "./content.test.ts";
