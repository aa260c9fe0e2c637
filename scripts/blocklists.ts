/** `npm run blocklists`: the compiled filter lists, for a service that is started by itself and for the image. */

import { prepareBlocklists } from "./stack/blocklists.ts";
import { runCommand } from "./stack/command.ts";
import { interruption } from "./stack/interrupt.ts";
import { progress } from "./stack/progress.ts";

const signal = interruption();
await runCommand(async () => {
  await progress.track(
    "filter lists",
    prepareBlocklists((words) => console.log(words), signal),
  );
  return 0;
}, signal);
