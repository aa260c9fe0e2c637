/** The picture that was taken, and what the answer said about it. */

import { useEffect, useState } from "react";
import { Badge } from "../ui/badge.tsx";
import { Notice } from "../ui/notice.tsx";
import { Fact, Facts } from "../ui/page.tsx";
import { bytesOf, count, durationOf } from "../ui/words.ts";
import type { Shot } from "./take.ts";

interface PreviewProps {
  shot: Shot | undefined;
  pending: boolean;
  cancelled: boolean;
  error: Error | null;
}

/** Keeps its place whatever it shows, so that nothing below jumps. */
export function Preview({ shot, pending, cancelled, error }: PreviewProps) {
  const source = useObjectUrl(shot?.picture);
  const [size, setSize] = useState<{ width: number; height: number }>();
  return (
    <div className="grid gap-4">
      <div className="relative grid aspect-16/10 place-items-center overflow-auto rounded-lg border border-line bg-sunken">
        {source && !error ? (
          <a href={source} target="_blank" rel="noreferrer" className="size-full">
            <img
              src={source}
              alt={`Screenshot of ${shot?.targetUrl}`}
              className="size-full object-contain"
              onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
            />
          </a>
        ) : (
          <p role={error ? "alert" : undefined} className={`max-w-sm p-6 text-center ${error ? "text-bad" : "text-muted"}`}>
            {error ? error.message : cancelled ? "Cancelled." : "The picture appears here."}
          </p>
        )}
        {pending && (
          <div className="absolute inset-0 grid place-items-center bg-surface/80">
            <p className="font-medium motion-safe:animate-pulse">Taking the picture…</p>
          </div>
        )}
      </div>
      <p role="status" className="sr-only">
        {pending ? "Taking the picture" : shot && !error ? "The picture is there" : ""}
      </p>
      {shot && !error && <Answer shot={shot} size={size} />}
    </div>
  );
}

function Answer({ shot, size }: { shot: Shot; size: { width: number; height: number } | undefined }) {
  const total = shot.timings.find(({ name }) => name === "total");
  return (
    <>
      {shot.warnings.length > 0 && (
        <Notice tone="warn">
          <ul className="grid gap-1">
            {shot.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Facts>
        <Fact name="Size">
          {size ? `${count(size.width)} × ${count(size.height)} pixels, ` : ""}
          {bytesOf(shot.picture.size)} {shot.picture.type.replace("image/", "")}
        </Fact>
        <Fact name="Cache">
          <Badge tone={shot.cache === "MISS" ? "plain" : "good"}>{shot.cache}</Badge>
        </Fact>
        <Fact name="Page">
          {shot.targetStatus && <Badge tone={Number(shot.targetStatus) < 400 ? "good" : "warn"}>{shot.targetStatus}</Badge>}{" "}
          {shot.targetUrl}
        </Fact>
        {total && (
          <Fact name="Time">
            {durationOf(total.ms)}
            <span className="text-muted">
              {" "}
              {shot.timings
                .filter(({ name }) => name !== "total")
                .map(({ name, ms }) => `${name} ${durationOf(ms)}`)
                .join(" · ")}
            </span>
          </Fact>
        )}
      </Facts>
    </>
  );
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
