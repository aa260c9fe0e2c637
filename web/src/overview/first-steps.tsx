/** Onboarding for a new account: a screenshot in the playground, a key, and the first request, which the page waits for. */

import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Account } from "../api/types.ts";
import { NewSecret } from "../keys/new-secret.tsx";
import { RequestCode } from "../playground/request-code.tsx";
import { Snippets } from "../playground/snippets.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "../ui/page.tsx";
import { FirstKey } from "./first-key.tsx";

const exampleRequest = { url: "https://example.com" };

/** Shown until everything is done, and then until the user leaves the page, so that they see it turn green. */
export function FirstSteps({ steps: done }: { steps: Account["first_steps"] }) {
  const isComplete = Object.values(done).every(Boolean);
  const [wasComplete] = useState(isComplete);
  const [isDismissed, dismiss] = useState(false);
  const [secret, setSecret] = useState<string>();
  useRefresh(done.key_used, done.picture_taken);
  if (wasComplete || isDismissed) return null;
  return (
    <Section title="First steps" aside={isComplete && <Button onClick={() => dismiss(true)}>Done</Button>}>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <Step number={1} isDone={done.picture_taken} title="Take a screenshot">
          {!done.picture_taken && (
            <p className="text-sm text-muted">
              In the{" "}
              <Link to="/playground" className="text-accent underline underline-offset-4">
                playground
              </Link>
              , without code. It then appears under{" "}
              <Link to="/screenshots" className="text-accent underline underline-offset-4">
                Screenshots
              </Link>
              .
            </p>
          )}
        </Step>
        <Step number={2} isDone={done.key_made} title="Create an API key">
          {!done.key_made && <FirstKey onCreated={setSecret} />}
          {secret && <NewSecret secret={secret} />}
        </Step>
        <Step number={3} isDone={done.key_used} title="Send a request from your code">
          {done.key_made && !done.key_used && (
            <>
              {secret ? <Snippets apiKey={secret} options={exampleRequest} /> : <RequestCode options={exampleRequest} />}
              <p className="flex items-center gap-2.5 text-sm text-muted">
                <span className="size-2.5 rounded-full bg-warn motion-safe:animate-pulse" />
                Waiting for your first request…
              </p>
            </>
          )}
        </Step>
      </ol>
      <p role="status" className="sr-only">
        {done.key_used ? "Your first request has arrived." : ""}
      </p>
    </Section>
  );
}

interface StepProps {
  number: number;
  isDone: boolean;
  title: string;
  children?: ReactNode;
}

function Step({ number, isDone, title, children }: StepProps) {
  return (
    <li className="flex gap-3">
      <span
        className={`mt-0.5 grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold ${isDone ? "bg-good-soft text-good" : "bg-sunken text-muted"}`}
      >
        {isDone ? (
          <>
            <Icon name="check" className="size-3.5" />
            <span className="sr-only">Done:</span>
          </>
        ) : (
          number
        )}
      </span>
      <div className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] justify-items-start gap-3 *:w-full">
        <h3 className={`font-medium ${isDone ? "text-good" : ""}`}>{title}</h3>
        {children}
      </div>
    </li>
  );
}

/** After the first request, the rest of the page has something new to show. */
function useRefresh(...steps: boolean[]): void {
  const queries = useQueryClient();
  const text = JSON.stringify(steps);
  const shown = useRef(text);
  useEffect(() => {
    if (text === shown.current) return;
    shown.current = text;
    for (const name of ["usage", "screenshots"]) void queries.invalidateQueries({ queryKey: [name] });
  }, [queries, text]);
}
