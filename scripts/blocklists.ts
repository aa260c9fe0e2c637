/** `npm run blocklists`: the compiled filter lists, for a service that is started by itself and for the image. */

import { prepareBlocklists } from "./stack/blocklists.ts";
import { interruption } from "./stack/interrupt.ts";

await prepareBlocklists((words) => console.log(words), interruption());
process.exit(0);
