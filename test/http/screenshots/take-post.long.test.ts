/** All tests of take-post.test.ts. */

import "./take-post.test.ts";
