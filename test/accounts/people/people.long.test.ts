/** All tests of people.test.ts. */

import "./people.test.ts";
