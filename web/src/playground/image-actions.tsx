/** What can be done with a captured image: download it, copy it, copy a link to it. */

import { call } from "../api/client.ts";
import { buttonClass } from "../ui/button.tsx";
import { CopyAction } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";

interface ImageActionsProps {
  /** Id of the screenshot. */
  id: string;
  /** URL of the image in this page. */
  source: string;
  image: Blob;
}

export function ImageActions({ id, source, image }: ImageActionsProps) {
  return (
    <>
      <a href={source} download={`screenshot.${image.type.replace("image/", "").replace("jpeg", "jpg")}`} className={buttonClass}>
        <Icon name="download" />
        Download
      </a>
      <CopyAction label="Copy link" icon="link" copy={async () => await navigator.clipboard.writeText(await linkTo(id))} />
      <CopyAction
        label="Copy image"
        icon="image"
        copy={async () => await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(image) })])}
      />
    </>
  );
}

const storedWithinMs = 5_000;
const retryMs = 200;

/** A link to the image that works without a session for a day. The image may be stored a moment after it was delivered. */
async function linkTo(id: string): Promise<string> {
  for (const end = Date.now() + storedWithinMs; ; ) {
    const { screenshot } = await call<{ screenshot: { link: string | null } }>(`/v1/account/screenshots/${id}`);
    if (screenshot.link) return screenshot.link;
    if (Date.now() > end) throw new Error("The image is not stored.");
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** Clipboards take PNG alone. */
async function pngOf(image: Blob): Promise<Blob> {
  if (image.type === "image/png") return image;
  const bitmap = await createImageBitmap(image);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  return await canvas.convertToBlob({ type: "image/png" });
}
