/** The request as code snippets. */

import { CodeBlock } from "../ui/copy.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { Values } from "./parameters.ts";
import { curl, img, javaScript, php } from "./snippet-texts.ts";

/** The API's public URL from the server's settings; by default, this server. */
const api = document.querySelector<HTMLMetaElement>('meta[name="api-url"]')?.content || location.origin;

interface SnippetsProps {
  apiKey?: string;
  options: Values;
  /** Where the key may be used, such as `*.example.com`; empty: anywhere. */
  websites?: string[];
}

/** For a key that is bound to websites, first the code for them. */
export function Snippets({ apiKey = "YOUR_API_KEY", options, websites: [website] = [] }: SnippetsProps) {
  const request = { api, key: apiKey, options, page: website && pageOf(website) };
  const image = { name: "<img>", text: img(request) };
  const command = { name: "curl", text: curl(request) };
  const texts = [
    ...(website ? [image, command] : [command, image]),
    { name: "JavaScript", text: javaScript(request) },
    { name: "PHP", text: php(request) },
  ];
  return (
    <Tabs
      label="Languages"
      tabs={texts.map(({ name, text }) => ({ name, content: <CodeBlock code={text} what={`the ${name} code`} /> }))}
    />
  );
}

/** A page of a website as keys list it: with or without a scheme, a wildcard or a port. */
function pageOf(website: string): string {
  const [, scheme = "https://", host = ""] = /^(\w+:\/\/)?(.*)$/.exec(website) ?? [];
  return `${scheme}${host.replace(/^\*\./, "www.")}/`;
}
