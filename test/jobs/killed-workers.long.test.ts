/** A thousand queued captures, with workers killed every five seconds. */

import { killedWorkersTest } from "./killed-workers.ts";

killedWorkersTest({ captures: 1_000, aliveMs: 5_000 });
