/** `wait_until=auto` compared with a long wait, on every page that loads its content in a way of its own. */

import { testReadiness } from "./readiness-pages.ts";

testReadiness();
