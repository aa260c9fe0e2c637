/** Navigates from the dashboard to a page of the billing provider. */

import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client.ts";

/** Stays pending once the navigation has started. */
export function useProviderPage() {
  return useMutation({
    mutationFn: async (page: { checkout: string } | "portal") => {
      const { url } =
        page === "portal"
          ? await call<{ url: string }>("/v1/account/billing/portal", { method: "POST" })
          : await call<{ url: string }>("/v1/account/billing/checkout", { method: "POST", body: { plan_id: page.checkout } });
      window.location.assign(url);
      await new Promise(() => {});
    },
  });
}
