/** All tests of link-hosts.test.ts. */

import "./link-hosts.test.ts";
