/** Sends the files of a capture as one zip. */

import type { FastifyReply, FastifyRequest } from "fastify";
import type { FinishedCapture } from "../../screenshots/captures/finished-capture.ts";
import { sliceName } from "../../screenshots/captures/keep-slices.ts";
import { AppError } from "../../shared/errors.ts";
import { objectKey } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import { type Description, failedEntry } from "./answer.ts";
import type { OpenBody } from "./zip-stream.ts";

interface Zipped {
  description: Description;
  capture: FinishedCapture;
  /** Functions that open each output's files. */
  bodies: OpenBody[][];
}

const unreadable = "An output can't be read from storage at the moment. Look for it in GET /v1/screenshots later, by its id.";
const none: OpenBody = async () => undefined;

/** Opens the outputs' files in object storage. */
export async function storedBodies(
  store: Pick<ImageStore, "get">,
  { outputs }: FinishedCapture,
  disconnected: AbortSignal,
): Promise<OpenBody[][]> {
  const { createFileReader } = await import("./zip-stream.ts");
  const read = createFileReader(store, disconnected);
  return outputs.map((one) =>
    "failure" in one
      ? []
      : one.files.map(
          ({ id, isStored, bytes }) =>
            async () =>
              isStored ? await read(objectKey(id, one.format), bytes) : undefined,
        ),
  );
}

/** Streams the files of the outputs; stored files are opened one at a time. */
export async function sendZip(http: FastifyRequest, reply: FastifyReply, { description, capture, bodies }: Zipped): Promise<FastifyReply> {
  const { fileName, zipOf } = await import("./zip-stream.ts"); // loaded on demand: most callers request links
  const files = capture.outputs.flatMap((one, position) => {
    const entry = description.outputs[position];
    if ("failure" in one || !entry) return [];
    const { format, capturedAt } = one;
    const [{ id: screenshotId } = {}] = one.files;
    const onMissing = (isCut: boolean) => {
      const message = isCut ? "A stored output could not be read completely, so its file is truncated; try again." : unreadable;
      const error = new AppError("unavailable", { message, screenshotId });
      description.outputs[position] = failedEntry(one.name, error, http.id);
    };
    return one.files.map(({ y }, index) => {
      const name = y === undefined ? one.name : sliceName(one.name, index);
      Object.assign(entry.slices?.[index] ?? entry, { file: fileName({ name, format }) });
      return { name, format, capturedAt, open: bodies[position]?.[index] ?? none, onMissing };
    });
  });
  const name = `attachment; filename="capture-${description.id}.zip"`;
  return reply
    .type("application/zip")
    .header("content-disposition", name)
    .send(zipOf(files, () => description));
}
