/** All tests of slow-requests.test.ts. */

import "./slow-requests.test.ts";
