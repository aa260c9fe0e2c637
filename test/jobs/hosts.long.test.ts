/** All tests of hosts.test.ts, and also a worker that is killed. */

import "./hosts.test.ts";
