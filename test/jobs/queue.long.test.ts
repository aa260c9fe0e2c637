/** All tests of queue.test.ts. */

import "./queue.test.ts";
