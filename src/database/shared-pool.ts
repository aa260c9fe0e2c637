/** A pool whose connections accounts share: no account's statements, however many or slow, make another's wait for long. */

import pg from "pg";
import { AppError } from "../shared/errors.ts";
import { createOwnerSums } from "../shared/owner-sums.ts";
import { isAddress, ownerOfWork, service } from "../shared/work-owner.ts";

/** The driver's callback. */
type OnConnected = (error: Error | undefined, client: pg.PoolClient | undefined, release: (failure?: Error) => void) => void;

interface Waiter {
  begin(): void;
  timer: NodeJS.Timeout;
}

/** Maximum number of an owner's statements and transactions that wait. Clients may send many requests at once, most of which wait briefly. */
export const waitingMax = 1_000;

/**
 * An owner (see `work-owner.ts`) gets another connection only while it holds fewer than are free: one owner at most half of them, and each
 * further owner about half of the rest. So there is almost always one left for those who hold none, who would otherwise have to wait until a
 * slow statement ends. Waiting owners take turns; an owner's statements are in order. The service itself, which works for everybody, comes
 * first, with at most half of the connections. Addresses, of which a client may have thousands, together get every other turn, and at most
 * half of the connections.
 */
export class SharedPool extends pg.Pool {
  readonly #held = createOwnerSums();
  #heldByAddresses = 0;
  /** Owners in the order in which it is their turn. */
  readonly #waiting = { accounts: new Map<string, Waiter[]>(), addresses: new Map<string, Waiter[]>() };
  #isTurnOfAddresses = false;
  readonly #holders = new WeakMap<pg.PoolClient, string>();

  constructor(config: pg.PoolConfig & { connectionTimeoutMillis: number }) {
    super(config);
    this.on("release", (_error: Error, client: pg.PoolClient) => {
      const owner = this.#holders.get(client);
      if (owner === undefined) return; // the pool itself has taken and released it
      this.#holders.delete(client);
      // The connection is idle only after this event. Before that, the pool would open another.
      queueMicrotask(() => this.#end(owner));
    });
  }

  /**
   * Called before each statement and transaction, and before the sign-in library's.
   * @throws {AppError} `rate_limited` if too many of the owner's statements are waiting.
   */
  assertRoom(): void {
    const owner = ownerOfWork();
    if (owner === service || (this.#waitingWith(owner).get(owner)?.length ?? 0) < waitingMax) return;
    const message = "Too many requests of this account or address are waiting for the database; try again later.";
    throw new AppError("rate_limited", { message, retryAfterSeconds: 5 });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnConnected): void;
  override connect(callback?: OnConnected): Promise<pg.PoolClient> | undefined {
    if (!callback)
      return new Promise((resolve, reject) => this.connect((error, client) => (client ? resolve(client) : reject(error as Error))));
    const owner = ownerOfWork();
    const { accounts, addresses } = this.#waiting;
    if (accounts.size + addresses.size === 0 && this.#mayTake(owner)) this.#take(owner, callback);
    else {
      this.#wait(owner, callback);
      this.#admit();
    }
    return undefined;
  }

  #waitingWith(owner: string): Map<string, Waiter[]> {
    return isAddress(owner) ? this.#waiting.addresses : this.#waiting.accounts;
  }

  #mayTake(owner: string): boolean {
    const free = this.options.max - this.#held.total();
    if (isAddress(owner) && !this.#mayAddressesTake()) return false;
    return owner === service ? free > 0 && this.#held.of(service) < this.options.max / 2 : this.#held.of(owner) < free;
  }

  #mayAddressesTake(): boolean {
    return this.#heldByAddresses < this.options.max / 2;
  }

  #hold(owner: string, by: 1 | -1): void {
    this.#held.add(owner, by);
    if (isAddress(owner)) this.#heldByAddresses += by;
  }

  #take(owner: string, callback: OnConnected): void {
    this.#hold(owner, 1);
    super.connect((error, client, release) => {
      if (client) this.#holders.set(client, owner);
      else queueMicrotask(() => this.#end(owner));
      callback(error, client, release);
    });
  }

  #end(owner: string): void {
    this.#hold(owner, -1);
    this.#admit();
  }

  /** The time limit for waiting is the pool's own, with its message. It includes connecting. */
  #wait(owner: string, callback: OnConnected): void {
    let isLate = false;
    const waiting = this.#waitingWith(owner);
    const waiters = waiting.get(owner) ?? [];
    const giveUp = () => {
      isLate = true;
      if (waiters.includes(waiter)) waiters.splice(waiters.indexOf(waiter), 1);
      if (waiters.length === 0 && waiting.get(owner) === waiters) waiting.delete(owner);
      callback(new Error("timeout exceeded when trying to connect"), undefined, () => {});
    };
    const onConnected: OnConnected = (error, client, release) => {
      if (isLate) return client?.release();
      clearTimeout(waiter.timer);
      callback(error, client, release);
    };
    const waiter: Waiter = {
      begin: () => this.#take(owner, onConnected),
      timer: setTimeout(giveUp, this.options.connectionTimeoutMillis).unref(),
    };
    waiters.push(waiter);
    waiting.set(owner, waiters);
  }

  #admit(): void {
    for (let waiter = this.#next(); waiter; waiter = this.#next()) waiter.begin();
  }

  #next(): Waiter | undefined {
    if (this.#held.total() >= this.options.max) return undefined;
    const { accounts, addresses } = this.#waiting;
    const ofService = this.#mayTake(service) && this.#shiftFrom(accounts, service);
    if (ofService) return ofService;
    for (const isAddresses of [this.#isTurnOfAddresses, !this.#isTurnOfAddresses]) {
      const waiter = isAddresses ? this.#mayAddressesTake() && this.#nextOf(addresses) : this.#nextOf(accounts);
      if (!waiter) continue;
      this.#isTurnOfAddresses = !isAddresses;
      return waiter;
    }
    return undefined;
  }

  /** At most as many owners as there are connections hold one, so this passes over few. */
  #nextOf(waiting: Map<string, Waiter[]>): Waiter | undefined {
    for (const owner of waiting.keys()) if (this.#mayTake(owner)) return this.#shiftFrom(waiting, owner);
    return undefined;
  }

  #shiftFrom(waiting: Map<string, Waiter[]>, owner: string): Waiter | undefined {
    const waiters = waiting.get(owner);
    waiting.delete(owner);
    if (waiters && waiters.length > 1) waiting.set(owner, waiters); // behind the other owners
    return waiters?.shift();
  }
}
