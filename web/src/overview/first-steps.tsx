/** What a new account does first; gone when all of it is done. */

import type { LinkProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import type { Account } from "../api/types.ts";
import { Section } from "../ui/page.tsx";

const steps: { name: keyof Account["first_steps"]; to: LinkProps["to"]; words: string; about: string }[] = [
  { name: "picture_taken", to: "/playground", words: "Take a screenshot", about: "In the playground, with every option at hand." },
  { name: "key_made", to: "/keys", words: "Make an API key", about: "Bound to your web site, so that nobody else can use it." },
  { name: "key_used", to: "/keys", words: "Use it", about: "Paste the snippet into your page or program." },
];

export function FirstSteps({ steps: done }: { steps: Account["first_steps"] }) {
  if (steps.every(({ name }) => done[name])) return null;
  return (
    <Section title="First steps">
      <ol className="grid gap-4 md:grid-cols-3">
        {steps.map(({ name, to, words, about }, index) => (
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
                {words}
              </Link>
              <p className="text-sm text-muted">{about}</p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
