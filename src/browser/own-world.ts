/** Runs scripts in a page's main frame, in an isolated world that the page's own scripts can't reach. */

import type { Protocol } from "devtools-protocol";
import { isDocumentReplaced, ScriptFailed } from "./chromium-errors.ts";
import type { Commands, ProtocolSession } from "./protocol.ts";

declare global {
  /** In the isolated world: what its functions keep for later ones. */
  var tintypeOwn: object;
}

/** Name of the isolated world. */
export const ownWorld = "tintype";

/**
 * The source of a function that calls `script` once there is a `tintypeOwn`. What scripts keep is in that object, because an element with
 * the name of a missing global as its id stands in for that global, in this world too.
 */
export function inOwnWorld(script: string): string {
  return `function (...args) { Object.hasOwn(globalThis, "tintypeOwn") || (globalThis.tintypeOwn = {}); return (${script})(...args); }`;
}

/** Sends one command; `timeoutMs` has a default. */
type Send = <M extends keyof Commands>(
  method: M,
  params?: Commands[M]["paramsType"][0],
  timeoutMs?: number,
) => Promise<Commands[M]["returnType"]>;

export interface ScriptRunner {
  /** Creates the world in the current document, so that the first script need not wait for it. Never throws. */
  prepare(): void;
  /**
   * Calls `script`, a function or its source. Arguments and result are serialized as JSON, and promises are awaited.
   * @param attempts maximum number of starts, if the document is replaced while the script is running.
   */
  run(script: ((...args: never[]) => unknown) | string, args: unknown[], timeoutMs: number, attempts: number): Promise<unknown>;
}

/** Runs scripts in a page's main frame, in an isolated world that the page's own scripts can't reach. */
export function createScriptRunner(session: ProtocolSession, frameId: string, send: Send): ScriptRunner {
  let world: Promise<Protocol.Runtime.ExecutionContextId> | undefined;
  let isCreated = false;
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === frameId && isCreated) world = undefined; // a world that is still being created belongs to the new document
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
    prepare: () => void enter().catch(() => {}), // the first script reports the error
    run: async (script, args, timeoutMs, attempts) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await call(inOwnWorld(script.toString()), args, timeoutMs);
        } catch (error) {
          if (!isDocumentReplaced(error) || attempt === attempts) throw error;
          world = undefined;
        }
      }
    },
  };
}
