/** How receivers verify that a webhook is genuine. */

import { CodeBlock } from "../ui/copy.tsx";
import { Section } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { verifyNode, verifyPhp, verifyPython } from "./verify-snippets.ts";

const languages = [
  { name: "Node", language: "javascript", code: verifyNode },
  { name: "Python", language: "python", code: verifyPython },
  { name: "PHP", language: "php", code: verifyPhp },
] as const;

export function Verify() {
  return (
    <Section title="Verify">
      <div className="grid gap-4">
        <p className="text-sm text-muted">
          Webhooks are signed as{" "}
          <a href="https://www.standardwebhooks.com" className="text-accent underline underline-offset-4">
            Standard Webhooks
          </a>{" "}
          define it. Verify each one before you trust it, and ignore a <code className="font-mono">webhook-id</code> that you have already
          seen: an event may be sent more than once.
        </p>
        <Tabs
          label="Languages"
          tabs={languages.map(({ name, language, code }) => ({
            name,
            content: <CodeBlock code={code} language={language} what={`the ${name} code`} />,
          }))}
        />
      </div>
    </Section>
  );
}
