/** Hostile pages, one or two of each kind: each ends within its budget with an image or the expected error, while another account's capture is unaffected. */

import { testHostilePages } from "./hostile-pages.ts";

testHostilePages(5, ["beforeunload and dialogs", "ArrayBuffer bomb before load", "slow loris", "download", "redirect loop", "no HTTP"]);
