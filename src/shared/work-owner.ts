/** For whom work runs: an account, a client's address as long as no account is known, or the service itself. Shared resources take turns by it. */

import { AsyncLocalStorage } from "node:async_hooks";

/** Belongs to one request, and changes once its account is known, so that work that has already started is the account's as well. */
export interface Owner {
  name: string;
}

/** The service's own work, such as jobs and clean-up. */
export const service = "";

const addressPrefix = "address ";

/** Owner of the work for a client's address as long as no account is known. */
export const addressOwner = (address: string): string => `${addressPrefix}${address}`;

export const isAddress = (owner: string): boolean => owner.startsWith(addressPrefix);

const owners = new AsyncLocalStorage<Owner>();

/** Runs `work`, and everything that it starts, for `owner`. */
export function forOwner<T>(owner: Owner, work: () => T): T {
  return owners.run(owner, work);
}

export function forAccount<T>(account: string, work: () => T): T {
  return owners.run({ name: account }, work);
}

/** Runs `work`, such as a loop for everybody that a request has started, for the service. */
export function forService<T>(work: () => T): T {
  return owners.run({ name: service }, work);
}

export const ownerOfWork = (): string => owners.getStore()?.name ?? service;
