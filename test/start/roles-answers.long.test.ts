/** All tests of roles-answers.test.ts. */

import "./roles-answers.test.ts";
