/** All tests of body-budget.test.ts. */

import "./body-budget.test.ts";
