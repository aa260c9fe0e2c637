/** Actions for a captured image or document: open, download and copy it, copy a link to it. */

import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { screenshotQuery } from "../api/screenshot-queries.ts";
import { extensionOf, isImage, isText } from "../screenshots/formats.ts";
import { buttonClass } from "../ui/button.tsx";
import { CopyAction } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Screenshot } from "./take.ts";

interface FileActionsProps {
  screenshot: Pick<Screenshot, "id" | "file" | "format">;
  /** URL of the file within this page. */
  source: string;
}

export function FileActions({ screenshot: { id, file, format }, source }: FileActionsProps) {
  return (
    <>
      {format === "pdf" && <OpenLink id={id} />}
      <a href={source} download={`screenshot.${extensionOf(format)}`} className={buttonClass}>
        <Icon name="download" />
        Download
      </a>
      <CopyAction label="Copy link" icon="link" copy={async () => await navigator.clipboard.writeText(await linkTo(id))} />
      {isImage(format) && (
        <CopyAction
          label="Copy image"
          icon="image"
          copy={async () => await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(file) })])}
        />
      )}
      {isText(format) && <CopyAction label="Copy text" copy={async () => await navigator.clipboard.writeText(await file.text())} />}
    </>
  );
}

const storedWithinMs = 5_000;
const retryMs = 200;

/**
 * Links to the stored file as soon as there is one: the copy in this page would have this page's Content-Security-Policy, and no viewer.
 */
function OpenLink({ id }: { id: string }) {
  const { data } = useQuery({
    ...screenshotQuery(id, {}),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? retryMs : false),
  });
  if (!data?.image) return null;
  return (
    <a href={data.image} target="_blank" rel="noreferrer" className={buttonClass}>
      <Icon name="open" />
      Open
    </a>
  );
}

/** A link to the file that works without a session for a day. The file may be stored shortly after it was delivered. */
async function linkTo(id: string): Promise<string> {
  for (const end = Date.now() + storedWithinMs; ; ) {
    const { screenshot } = await call<{ screenshot: { link: string | null } }>(`/v1/account/screenshots/${id}`);
    if (screenshot.link) return screenshot.link;
    if (Date.now() > end) throw new Error("The file is not stored.");
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** Clipboards accept only PNG. */
async function pngOf(image: Blob): Promise<Blob> {
  if (image.type === "image/png") return image;
  const bitmap = await createImageBitmap(image);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  return await canvas.convertToBlob({ type: "image/png" });
}
