/** All tests of documents.test.ts. */

import "./documents.test.ts";
