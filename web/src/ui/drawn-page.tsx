/** A simplified drawing of a web page, for samples: as wide as its parent, which clips it. */

interface DrawnPageProps {
  /** Color of the header. */
  color?: string;
  /** Whether cards are below each other. */
  isNarrow?: boolean;
  cards?: number;
}

export function DrawnPage({ color = "bg-accent", isNarrow = false, cards = 3 }: DrawnPageProps) {
  return (
    <div className="@container size-full bg-paper">
      <div className={`flex items-center justify-between px-[5cqw] py-[2.2cqw] ${color}`}>
        <Bar className="h-[2.4cqw] min-h-0.5 w-[16cqw] bg-paper/90" />
        <Bar className="h-[1.4cqw] min-h-0.5 w-[26cqw] bg-paper/60" />
      </div>
      <div className="grid justify-items-start gap-[2.4cqw] px-[10cqw] py-[5cqw]">
        <Bar className="h-[4.4cqw] w-[52cqw] bg-ink/80" />
        <Bar className="h-[4.4cqw] w-[34cqw] bg-ink/80" />
        <Bar className="h-[1.7cqw] w-[64cqw] bg-muted/50" />
        <Bar className="h-[1.7cqw] w-[58cqw] bg-muted/50" />
        <div className={`grid w-full gap-[2.4cqw] pt-[2cqw] ${isNarrow ? "grid-cols-1" : "grid-cols-3"}`}>
          {Array.from({ length: cards }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all identical
            <Card key={index} />
          ))}
        </div>
      </div>
    </div>
  );
}

function Card() {
  return (
    <div className="grid content-start justify-items-start gap-[1.6cqw] rounded-[1cqw] border border-line bg-surface p-[2.4cqw]">
      <Bar className="h-[9cqw] w-full bg-accent-soft" />
      <Bar className="h-[1.9cqw] w-2/3 bg-ink/70" />
      <Bar className="h-[1.4cqw] w-full bg-muted/40" />
      <Bar className="h-[1.4cqw] w-4/5 bg-muted/40" />
    </div>
  );
}

function Bar({ className }: { className: string }) {
  return <span className={`block rounded-xs ${className}`} />;
}
