/** A short form of killed-workers.long.test.ts. */

import { killedWorkersTest } from "./killed-workers.ts";

killedWorkersTest({ captures: 6, aliveMs: 600 });
