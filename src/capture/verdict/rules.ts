/** All rules. */

import type { WallKind } from "./phrases/says.ts";
import type { Rule, RuleOfKind } from "./rule.ts";
import { applicationErrors } from "./rules/application-errors.ts";
import { botChecks } from "./rules/bot-checks.ts";
import { vendorBotWalls } from "./rules/bot-walls.ts";
import { consentWalls } from "./rules/consent-walls.ts";
import { errorPages } from "./rules/error-pages.ts";
import { loginWalls } from "./rules/login-walls.ts";
import { parked } from "./rules/parked.ts";

/** The most specific kind comes first: an error page with a bot check is a bot wall. */
const byKind: [WallKind, RuleOfKind[]][] = [
  ["bot_wall", [...vendorBotWalls.map((rule) => ({ ...rule, isUnmistakable: true as const })), ...botChecks]],
  ["parked", parked],
  ["login_wall", loginWalls],
  ["consent_wall", consentWalls],
  ["error_page", [...errorPages, ...applicationErrors]],
];

export const rules: readonly Rule[] = byKind.flatMap(([kind, list]) => list.map((rule) => ({ ...rule, kind })));
