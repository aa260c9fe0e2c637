/** Chooses the proxy for a capture, and decides whether the caller may use it. */

import type { Caller } from "../../accounts/keys/caller.ts";
import { assertNotPublic } from "../../accounts/keys/restrictions.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import type { VetTarget } from "../../shared/open-connection.ts";
import { parseProxyUrl, type UpstreamProxy } from "../../shared/proxy-url.ts";
import type { ProxyOptions } from "./take-options.ts";

/** A proxy configured by the operator. */
interface NamedProxy {
  /** Country or name, in lower case. */
  name: string;
  /** Ids of the plans and accounts that may use it; all may if empty. */
  allowed: readonly string[];
  proxy: UpstreamProxy;
}

export interface Proxies {
  /**
   * The proxy for a capture with `options`; undefined if it connects directly.
   * @throws {AppError} `invalid_parameters` if `country` names no proxy, or a signed request specifies its own; `proxy_not_allowed`;
   *   `domain_not_allowed` if a key that is restricted to domains is used with the caller's own proxy.
   */
  proxyFor(caller: Caller, options: ProxyOptions): UpstreamProxy | undefined;
  /**
   * Rejects a caller's own proxy early, with a clear error, if its address is blocked or can't be resolved.
   * @throws {AppError} `proxy_failed`; the signal's reason.
   */
  vet(url: string, signal: AbortSignal): Promise<void>;
  /** Checks each request as `proxyFor` does, and throws the same errors. */
  assertUsable(caller: Caller, requests: readonly { options: ProxyOptions }[]): void;
}

interface ProxySettings {
  named: readonly NamedProxy[];
  /** Whether callers may use their own proxies. */
  isByRequest: boolean;
  vetTarget: VetTarget;
}

export function createProxies({ named, isByRequest, vetTarget }: ProxySettings): Proxies {
  const byName = new Map(named.map((one) => [one.name, one]));
  const mayUse = ({ userId, planId }: Caller, { allowed }: NamedProxy) =>
    allowed.length === 0 || allowed.includes(planId) || allowed.includes(userId);

  function namedProxy(caller: Caller, name: string): UpstreamProxy {
    const found = byName.get(name);
    if (found && mayUse(caller, found)) return found.proxy;
    const usable = named.filter((one) => mayUse(caller, one)).map((one) => one.name);
    if (found) throw new AppError("proxy_not_allowed", { message: `The account may not use the proxy ${name}. ${offer(usable)}` });
    if (usable.length === 0) throw wrongParameter("country", "is not available: there is no proxy that the account may use", "no country");
    const allowed = `one of ${usable.join(", ")}`;
    throw wrongParameter("country", `must be ${allowed}, not ${JSON.stringify(name)}`, allowed);
  }

  function ownProxy(caller: Caller, url: string, isSigned: boolean): UpstreamProxy {
    if (!isByRequest) throw new AppError("proxy_not_allowed", { message: "The service does not accept callers' own proxies." });
    assertNotPublic(caller, "can't use proxies");
    if (isSigned)
      throw wrongParameter("proxy", "can't be part of a signed link: visitors to the page with the link could read the proxy's password");
    if (caller.allowedTargets.length > 0) {
      const message = "The API key is restricted to certain targets, and a proxy could serve other pages at their http addresses.";
      throw new AppError("proxy_not_allowed", { message });
    }
    const proxy = parseProxyUrl(url, false);
    if (!proxy) throw new Error("The proxy was validated with the other options");
    return proxy;
  }

  const proxyFor: Proxies["proxyFor"] = (caller, { country, proxy, signature }) => {
    if (country !== undefined) return namedProxy(caller, country);
    return proxy === undefined ? undefined : ownProxy(caller, proxy, signature !== undefined);
  };
  return {
    proxyFor,
    async vet(url, signal) {
      const proxy = parseProxyUrl(url, false);
      if (!proxy) return;
      await vetTarget(new URL(`http://${proxy.host}:${proxy.port}/`), signal).catch((error) => {
        if (!(error instanceof AppError)) throw error;
        const message = "The proxy's address is blocked, or its name does not resolve to a public address.";
        // The cause is only the code, because the error itself quotes the proxy's address.
        throw new AppError("proxy_failed", { message, retryable: false, isUnrecorded: true, cause: new Error(error.code) });
      });
    },
    assertUsable: (caller, requests) => {
      for (const { options } of requests) proxyFor(caller, options);
    },
  };
}

function offer(usable: readonly string[]): string {
  return usable.length > 0 ? `It may use ${usable.join(", ")}.` : "It may not use any.";
}
