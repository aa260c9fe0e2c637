/** All hostile pages: each ends within its budget with an image or the expected error, while another account's capture is unaffected. */

import { testHostilePages } from "./hostile-pages.ts";

testHostilePages(7);
