/** Takes what the playground's form describes: a screenshot, or several outputs. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { call } from "../api/client.ts";
import type { Capture } from "../api/types.ts";
import { isImage, isMotion } from "../screenshots/formats.ts";
import type { CapturesBody } from "./outputs.ts";
import type { Values } from "./parameters.ts";
import { type Screenshot, take } from "./take.ts";

interface Request {
  options: Values;
  /** Request body; set if there are several outputs. */
  body: CapturesBody | undefined;
}

interface Taken {
  screenshot?: Screenshot;
  capture?: Capture;
}

export function useCapture() {
  const queries = useQueryClient();
  const running = useRef<AbortController>(undefined);
  const mutation = useMutation({
    mutationFn: async ({ options, body }: Request): Promise<Taken> => {
      running.current = new AbortController();
      const { signal } = running.current;
      if (!body) return { screenshot: await take(options, signal) };
      return { capture: await call<Capture>("/v1/account/playground/captures", { method: "POST", body, signal }) };
    },
    onSettled: () => {
      queries.removeQueries({ queryKey: ["screenshots"] });
      for (const name of ["account", "usage"]) void queries.invalidateQueries({ queryKey: [name], refetchType: "none" });
    },
  });
  return { ...mutation, cancel: () => running.current?.abort() };
}

/** Text that is announced to screen readers. */
export function readyText({ screenshot, capture }: Taken): string {
  if (capture) return `${capture.outputs.filter(({ error }) => !error).length} of ${capture.outputs.length} outputs ready`;
  if (screenshot) return `${isImage(screenshot.format) ? "Screenshot" : isMotion(screenshot.format) ? "Recording" : "Document"} ready`;
  return "";
}
