/** Onboarding steps of a new account; hidden once all are done. */

import type { LinkProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import type { Account } from "../api/types.ts";
import { Section } from "../ui/page.tsx";

const steps: { name: keyof Account["first_steps"]; to: LinkProps["to"]; label: string; about: string }[] = [
  { name: "picture_taken", to: "/playground", label: "Take a screenshot", about: "Try every option in the playground." },
  { name: "key_made", to: "/keys", label: "Create an API key", about: "Restrict it to your website, so that other sites can't use it." },
  { name: "key_used", to: "/keys", label: "Use the key", about: "Paste the code snippet into your website or program." },
];

export function FirstSteps({ steps: done }: { steps: Account["first_steps"] }) {
  if (steps.every(({ name }) => done[name])) return null;
  return (
    <Section title="First steps">
      <ol className="grid gap-4 md:grid-cols-3">
        {steps.map(({ name, to, label, about }, index) => (
          <li key={name} className="flex gap-3">
            <span
              className={`mt-0.5 grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold ${done[name] ? "bg-good-soft text-good" : "bg-sunken text-muted"}`}
            >
              {done[name] ? (
                <>
                  <span aria-hidden="true">✓</span>
                  <span className="sr-only">Done:</span>
                </>
              ) : (
                index + 1
              )}
            </span>
            <div>
              <Link to={to} className="font-medium underline decoration-line underline-offset-4 hover:decoration-ink">
                {label}
              </Link>
              <p className="text-sm text-muted">{about}</p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
