/** Loaded with `--import`: prints the URLs of all loaded modules when the process exits. */

import { registerHooks } from "node:module";

const loaded = new Set<string>();
registerHooks({
  load: (url, context, nextLoad) => {
    loaded.add(url);
    return nextLoad(url, context);
  },
});
process.on("exit", () => {
  if (process.argv[1]?.endsWith("server.js")) console.log(`\nLOADED ${JSON.stringify([...loaded])}`);
});
