/** Usage of the account or of one key, for the last 7, 30 or 90 days. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usageQuery } from "../api/queries.ts";
import { Segmented } from "../ui/form/segmented.tsx";
import { Section } from "../ui/page.tsx";
import { UsageChart } from "./chart.tsx";

const periods = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];

/** The router has already loaded 30 days. */
export function UsageSection({ keyId }: { keyId?: string }) {
  const [days, setDays] = useState("30");
  const usage = useQuery({ ...usageQuery(keyId, Number(days)), placeholderData: keepPreviousData }).data;
  return (
    <Section title="Usage" aside={<Segmented label="Period" hideLabel choices={periods} value={days} onChange={setDays} />}>
      {usage && (
        <UsageChart days={usage.days} linkTo={(day) => ({ to: "/screenshots", search: { since: day, until: day, key_id: keyId } })} />
      )}
    </Section>
  );
}
