/** `npm run blocklists`: the compiled filter lists, for a service that is started by itself and for the image. */

import { prepareBlocklists } from "./stack/blocklists.ts";
import { runCommand } from "./stack/command.ts";
import { interruption } from "./stack/interrupt.ts";

const signal = interruption();
await runCommand(async () => {
  await prepareBlocklists((words) => console.log(words), signal);
  return 0;
}, signal);
