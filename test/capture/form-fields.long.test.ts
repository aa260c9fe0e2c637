/** All tests of form-fields.test.ts, and groups of names alone. */

import "./form-fields.test.ts";
