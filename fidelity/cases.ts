/** Every page of the suite. */

import type { FidelityCase } from "./case.ts";
import { animationCases } from "./cases/animation.ts";
import { carouselCases } from "./cases/carousels.ts";
import { chartCases } from "./cases/charts.ts";
import { consentCases } from "./cases/consent.ts";
import { lazyCases } from "./cases/lazy.ts";
import { listCases } from "./cases/lists.ts";
import { loadingCases } from "./cases/loading.ts";
import { mediaCases } from "./cases/media.ts";
import { parallaxCases } from "./cases/parallax.ts";
import { revealCases } from "./cases/reveals.ts";
import { scrollerCases } from "./cases/scrollers.ts";
import { siteCases } from "./cases/sites.ts";
import { themeCases } from "./cases/themes.ts";

/** Sorted by name. */
export const cases: FidelityCase[] = [
  ...animationCases,
  ...carouselCases,
  ...chartCases,
  ...consentCases,
  ...lazyCases,
  ...listCases,
  ...loadingCases,
  ...mediaCases,
  ...parallaxCases,
  ...revealCases,
  ...scrollerCases,
  ...siteCases,
  ...themeCases,
].sort((one, other) => (one.name < other.name ? -1 : 1));
