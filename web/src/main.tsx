/** Entry point of the dashboard in the browser. */

import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueries } from "./api/query-client.ts";
import { createDashboardRouter } from "./router.tsx";
import { Announcer } from "./shell/announcer.tsx";

const queries = createQueries(() => void router.navigate({ to: "/sign-in", search: { to: location.pathname + location.search } }));
const router = createDashboardRouter(queries);

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Announcer />
    </QueryClientProvider>
  </StrictMode>,
);
