/** Limits concurrent work on stored images. */

import { createPermits } from "../shared/permits.ts";

/** For comparisons, and for drawing their results. Each holds hundreds of megabytes of pixels, so only one runs at a time. */
export const comparisonPermits = createPermits(1, 4);
/** For scaling images for models. Scaling works row by row, so two at a time take little memory. */
export const scalingPermits = createPermits(2, 4);
