/** All tests of server.test.ts. */

import "./server.test.ts";
