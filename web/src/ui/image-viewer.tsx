/** An image in a frame: whole, as wide as the frame, or at its own size, or filling the whole window. */

import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Segmented } from "./form/segmented.tsx";
import { Icon } from "./icon.tsx";

const zooms = [
  { value: "fit", label: "Fit" },
  { value: "width", label: "Width" },
  { value: "actual", label: "100 %" },
] as const;

type Zoom = (typeof zooms)[number]["value"];

const shapes: Record<Zoom, string> = {
  fit: "max-h-full max-w-full object-contain",
  width: "w-full self-start",
  actual: "max-w-none self-start",
};

interface ImageViewerProps {
  source: string;
  alt: string;
  /** Shown next to the zoom buttons. */
  actions?: ReactNode;
  /** Shown over the image. */
  cover?: ReactNode;
  onSize?: (size: { width: number; height: number }) => void;
}

/** Leaves room in the window for the page header, the controls and the first details below. */
export const frameHeight = "h-[clamp(18rem,calc(100dvh-26rem),52rem)]";

/** The frame's size doesn't depend on the image, so that the layout below doesn't shift. */
export function ImageViewer({ actions, cover, ...image }: ImageViewerProps) {
  const [zoom, setZoom] = useState<Zoom>("fit");
  const [isFull, setFull] = useState(false);
  return (
    <div className="grid gap-3">
      <Frame {...image} zoom={zoom} height={frameHeight}>
        {cover}
      </Frame>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <Segmented label="Zoom" hideLabel choices={[...zooms]} value={zoom} onChange={setZoom} />
          <Button onClick={() => setFull(true)}>
            <Icon name="expand" />
            Full size
          </Button>
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {isFull && (
        <Dialog title="Screenshot" size="window" onClose={() => setFull(false)}>
          <FullImage source={image.source} alt={image.alt} onClose={() => setFull(false)} />
        </Dialog>
      )}
    </div>
  );
}

function FullImage({ source, alt, onClose }: { source: string; alt: string; onClose: () => void }) {
  const [zoom, setZoom] = useState<Zoom>("actual");
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented label="Zoom" hideLabel choices={[...zooms]} value={zoom} onChange={setZoom} />
        <Button onClick={onClose}>
          <Icon name="close" />
          Close
        </Button>
      </div>
      <Frame source={source} alt={alt} zoom={zoom} height="h-[calc(100dvh-11rem)]" />
    </>
  );
}

interface FrameProps extends Pick<ImageViewerProps, "source" | "alt" | "onSize"> {
  zoom: Zoom;
  height: string;
  children?: ReactNode;
}

function Frame({ source, alt, onSize, zoom, height, children }: FrameProps) {
  return (
    <div className="relative min-w-0">
      <section
        aria-label="Image"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        className={`grid grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] place-items-center-safe overflow-auto rounded-lg border border-line bg-sunken ${height}`}
      >
        <img
          src={source}
          alt={alt}
          className={`checkered ${shapes[zoom]}`}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => onSize?.({ width, height })}
        />
      </section>
      {children}
    </div>
  );
}
