/** The request as code snippets. */

import { defaultFormat, isPicture } from "../screenshots/formats.ts";
import { CodeBlock } from "../ui/copy.tsx";
import type { Language } from "../ui/highlight.ts";
import { Tabs } from "../ui/tabs.tsx";
import { type CapturesRequest, capturesCurl, capturesNode, capturesPython } from "./captures-snippets.ts";
import type { CapturesBody } from "./outputs.ts";
import type { Values } from "./parameters.ts";
import { curl, go, img, node, php, python, type Request } from "./snippet-texts.ts";

/** The API's public URL from the server's settings; this server's by default. */
const api = document.querySelector<HTMLMetaElement>('meta[name="api-url"]')?.content || location.origin;

interface SnippetsProps {
  apiKey?: string;
  options: Values;
  /** Request body; set if there are several outputs. */
  body?: CapturesBody | undefined;
  /** Where the key may be used, such as `*.example.com`; anywhere if empty. */
  websites?: string[];
}

/** For a key restricted to websites, the `<img>` snippet comes first. */
export function Snippets({ apiKey = "YOUR_API_KEY", options, body, websites: [website] = [] }: SnippetsProps) {
  const common = { api, key: apiKey, page: website && pageOf(website) };
  const snippets = body ? capturesSnippets({ ...common, body }) : takeSnippets({ ...common, options });
  return (
    <Tabs
      label="Languages"
      tabs={snippets.map(({ name, language, text }) => ({
        name,
        content: <CodeBlock code={text} language={language} what={`the ${name} code`} />,
      }))}
    />
  );
}

function capturesSnippets(request: CapturesRequest): Snippet[] {
  return [
    { name: "curl", language: "shell", text: capturesCurl(request) },
    { name: "Node", language: "javascript", text: capturesNode(request) },
    { name: "Python", language: "python", text: capturesPython(request) },
  ];
}

function takeSnippets(request: Request): Snippet[] {
  const image: Snippet = { name: "<img>", language: "html", text: img(request) };
  const command: Snippet = { name: "curl", language: "shell", text: curl(request) };
  const first = request.page ? [image, command] : [command, image];
  return [
    ...(isPicture(String(request.options.format ?? defaultFormat)) ? first : [command]),
    { name: "Node", language: "javascript", text: node(request) },
    { name: "Python", language: "python", text: python(request) },
    { name: "Go", language: "go", text: go(request) },
    { name: "PHP", language: "php", text: php(request) },
  ];
}

interface Snippet {
  name: string;
  language: Language;
  text: string;
}

/** A URL on a website that a key lists, with or without a scheme, wildcard or port. */
function pageOf(website: string): string {
  const [, scheme = "https://", host = ""] = /^(\w+:\/\/)?(.*)$/.exec(website) ?? [];
  return `${scheme}${host.replace(/^\*\./, "www.")}/`;
}
