/** The start of a text that may be too long to be shown. */

export const shownBytesMax = 200_000;

/** Reads at most `shownBytesMax` of a UTF-8 body; the rest is not received. @throws {TypeError} if the connection fails. */
export async function readStart({ body }: Response): Promise<{ text: string; isCut: boolean }> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let left = shownBytesMax; ; ) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || !value) return { text: text + decoder.decode(), isCut: false };
    text += decoder.decode(value.subarray(0, left), { stream: true }); // drops an incomplete character at the end
    if (value.length > left) {
      await reader?.cancel();
      return { text, isCut: true };
    }
    left -= value.length;
  }
}
