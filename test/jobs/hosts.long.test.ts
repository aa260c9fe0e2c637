/** All tests of hosts.test.ts: also a worker that is killed. */

import "./hosts.test.ts";
