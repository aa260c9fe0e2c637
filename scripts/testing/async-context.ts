/**
 * Makes Node's test runner track tests with an `AsyncLocalStorage`. Its own hook is called for each promise and each resource in the
 * process, which takes a sixth of the time of a test that sends requests. Must be imported before `node:test`.
 */

import hooks, { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

type Callback = (...args: unknown[]) => unknown;

const { createHook, executionAsyncId } = hooks;
const { runInAsyncScope } = AsyncResource.prototype;
const current = new AsyncLocalStorage<number>();

Object.assign(hooks, {
  createHook: (callbacks: hooks.HookCallbacks) => {
    // The runner's hook; if a later version of Node has a different one, it is left as it is.
    if (Object.keys(callbacks).sort().join() !== "destroy,init") return createHook(callbacks);
    Object.assign(hooks, { createHook, executionAsyncId });
    follow((test) => callbacks.init?.(test.asyncId(), "Test", 0, test));
    const hook = { enable: () => hook, disable: () => hook };
    return hook;
  },
  executionAsyncId: () => current.getStore() ?? executionAsyncId(),
});

/**
 * Calls `register` before a test, a suite or one of their hooks runs, and makes it the current one for everything that its function
 * starts.
 */
function follow(register: (test: AsyncResource) => void): void {
  AsyncResource.prototype.runInAsyncScope = function <This>(this: AsyncResource, fn: Callback, self?: This, ...args: unknown[]) {
    if (!("createSubtest" in this)) return Reflect.apply(runInAsyncScope, this, [fn, self, ...args]);
    register(this);
    // Inside, because the scope restores the values that the stores had when the resource was created.
    return Reflect.apply(runInAsyncScope, this, [() => current.run(this.asyncId(), () => Reflect.apply(fn, self, args))]);
  } as typeof runInAsyncScope;
}
