/** All tests of scripted-reveals.test.ts. */

import "./scripted-reveals.test.ts";
