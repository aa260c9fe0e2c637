/** Setting types shared by several groups. */

import { z } from "zod";

export const port = (value: number) => z.int().min(1).max(65_535).default(value);

export const integer = (min: number, max: number) => z.int().min(min).max(max);

/** Text that may be empty; `pattern` must also match the empty string. */
export const optionalText = (pattern?: RegExp) => (pattern ? z.string().regex(pattern) : z.string()).default("");

export const requiredText = () => z.string().min(1);
