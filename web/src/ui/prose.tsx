/** A message from the API, in which code is between backticks. */

export function Prose({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change order
      <code key={index} className="font-mono text-[0.9em]">
        {part}
      </code>
    ),
  );
}
