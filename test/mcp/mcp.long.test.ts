/** All tests of mcp.test.ts. */

import "./mcp.test.ts";
