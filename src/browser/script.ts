/** Runs the service's scripts in a page's main frame, in an isolated world that the page's own scripts can't reach. */

import type { Protocol } from "devtools-protocol";
import { isDocumentReplaced, ScriptFailed } from "./chromium-errors.ts";
import type { Commands, Session } from "./protocol.ts";

type Send = <M extends keyof Commands>(
  method: M,
  params?: Commands[M]["paramsType"][0],
  timeoutMs?: number,
) => Promise<Commands[M]["returnType"]>;

/** Name of the isolated world. */
export const ownWorld = "tintype";

interface ScriptRunner {
  /** Creates the world in the current document, so that the first script need not wait for it. Never throws. */
  prepare(): void;
  /**
   * Calls `script` with `args`; both and the result are serialised as JSON, a promise is awaited.
   * @param attempts in how many documents the script may be started, if one replaces another while it runs.
   */
  run(script: (...args: never[]) => unknown, args: unknown[], timeoutMs: number, attempts: number): Promise<unknown>;
}

export function createScriptRunner(session: Session, frameId: string, send: Send): ScriptRunner {
  let world: Promise<Protocol.Runtime.ExecutionContextId> | undefined;
  let isCreated = false;
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === frameId && isCreated) world = undefined; // one still being created belongs to the new document
  });

  const enter = () => {
    if (world) return world;
    isCreated = false;
    world = send("Page.createIsolatedWorld", { frameId, worldName: ownWorld }).then(
      ({ executionContextId }) => {
        isCreated = true;
        return executionContextId;
      },
      (error) => {
        world = undefined;
        throw error;
      },
    );
    return world;
  };

  const call = async (functionDeclaration: string, args: unknown[], timeoutMs: number) => {
    const executionContextId = await enter();
    const values = args.map((value) => ({ value }));
    const call = { executionContextId, functionDeclaration, arguments: values, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = await send("Runtime.callFunctionOn", call, timeoutMs);
    if (exceptionDetails) throw new ScriptFailed(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };

  return {
    prepare: () => void enter().catch(() => {}), // the first script reports it
    run: async (script, args, timeoutMs, attempts) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await call(script.toString(), args, timeoutMs);
        } catch (error) {
          if (!isDocumentReplaced(error) || attempt === attempts) throw error;
          world = undefined;
        }
      }
    },
  };
}
