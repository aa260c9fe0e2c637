/** All ways that are tried. */

import { markups } from "./markup.ts";
import { names } from "./names.ts";
import { navigation } from "./navigation.ts";
import { scripts } from "./scripts.ts";
import { sockets } from "./sockets.ts";
import { styles } from "./styles.ts";
import type { Way } from "./way.ts";
import { workers } from "./workers.ts";

export const ways: readonly Way[] = [...navigation, ...markups, ...styles, ...scripts, ...workers, ...sockets, ...names];
