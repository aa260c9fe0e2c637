/** `wait_until=auto` compared with a long wait, on all pages that load their content in different ways. */

import { testReadiness } from "./readiness-pages.ts";

testReadiness();
