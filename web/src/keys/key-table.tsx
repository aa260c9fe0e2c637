/** Keys with their usage and expiry, each with a menu of actions. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usageQuery } from "../api/queries.ts";
import type { Key } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { count, counted, dateOf } from "../ui/format.ts";
import { KeyActions } from "./key-actions.tsx";
import { StateBadge } from "./state-badge.tsx";

const columns = [
  { name: "Name", shape: "pl-5" },
  { name: "State", shape: "w-28 px-3" },
  { name: "Requests, 30 days", shape: "w-44 px-3 text-right max-sm:hidden" },
  { name: "Last used", shape: "w-36 px-3 max-md:hidden" },
  { name: "Created", shape: "w-32 px-3 max-lg:hidden" },
  { name: "Expires", shape: "w-32 px-3 max-lg:hidden" },
];

export function KeyTable({ keys }: { keys: Key[] }) {
  const usage = useSuspenseQuery(usageQuery()).data.keys;
  const requests = new Map(usage.map(({ key_id, captured, cached, failed, rejected }) => [key_id, captured + cached + failed + rejected]));
  return (
    <div className="overflow-hidden rounded-2xl border border-line bg-surface">
      <table className="w-full table-fixed text-left text-sm">
        <thead className="text-muted">
          <tr>
            {columns.map(({ name, shape }) => (
              <th key={name} scope="col" className={`py-2.5 font-medium ${shape}`}>
                {name}
              </th>
            ))}
            <th scope="col" className="w-14">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <Row key={key.id} apiKey={key} requests={requests.get(key.id) ?? 0} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ apiKey, requests }: { apiKey: Key; requests: number }) {
  const { id, name, hint, state, last_used_at, created_at, expires_at } = apiKey;
  const shapes = columns.map(({ shape }) => `py-3 ${shape}`);
  return (
    <tr className="relative border-t border-line hover:bg-sunken">
      <td className={shapes[0]}>
        <Link to="/keys/$id" params={{ id }} className="block truncate font-medium after:absolute after:inset-0 after:-outline-offset-2">
          {name}
        </Link>
        <span className="block truncate text-muted">
          <code className="font-mono text-[0.8125rem]">{hint}</code> · {allowedWebsites(apiKey)}
        </span>
        {/* Data for which narrower windows have no column. */}
        <span className="tabular block text-muted lg:hidden">
          <span className="sm:hidden">{counted(requests, "request")} in 30 days, </span>
          <span className="md:hidden">
            {last_used_at !== null && "used "}
            <Ago time={last_used_at} never="never used" />,{" "}
          </span>
          created {dateOf(created_at)}
          {expires_at !== null && `, expires ${dateOf(expires_at)}`}
        </span>
      </td>
      <td className={shapes[1]}>
        <StateBadge state={state} />
      </td>
      <td className={`tabular ${shapes[2]}`}>{count(requests)}</td>
      <td className={`text-muted ${shapes[3]}`}>
        <Ago time={last_used_at} never="never used" />
      </td>
      <td className={`tabular text-muted ${shapes[4]}`}>{dateOf(created_at)}</td>
      <td className={`tabular text-muted ${shapes[5]}`}>{expires_at === null ? "never" : dateOf(expires_at)}</td>
      <td className="pr-3 text-right">
        <KeyActions apiKey={apiKey} as="menu" />
      </td>
    </tr>
  );
}

function allowedWebsites({ allowed_domains: [first, ...others] }: Key): string {
  if (first === undefined) return "any website";
  return others.length === 0 ? first : `${first} and ${counted(others.length, "other")}`;
}
