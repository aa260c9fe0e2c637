/** The request as code snippets. */

import { CodeBlock } from "../ui/copy.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { Values } from "./parameters.ts";
import { curl, img, javaScript, php } from "./snippet-texts.ts";

/** The API's public URL from the server's settings; by default, this server. */
const api = document.querySelector<HTMLMetaElement>('meta[name="api-url"]')?.content || location.origin;

export function Snippets({ apiKey = "YOUR_API_KEY", options }: { apiKey?: string; options: Values }) {
  const request = { api, key: apiKey, options };
  const texts = [
    { name: "curl", text: curl(request) },
    { name: "<img>", text: img(request) },
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
