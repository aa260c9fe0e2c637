/** `npm run blocklists`: compiles the filter lists, for the container image and for a service started without `npm run local`. */

import { prepareBlocklists } from "./stack/blocklists.ts";
import { runCommand } from "./stack/command.ts";
import { interruption } from "./stack/interrupt.ts";
import { progress } from "./stack/progress.ts";

const signal = interruption();
await runCommand(async () => {
  await progress.track("filter lists", prepareBlocklists(progress.say, signal));
  return 0;
}, signal);
