/** Removes the attestation from a new passkey: the service asks for none, and verifying one has side effects. */

/** CBOR maps nested deeper are refused; an attestation has three levels. */
const levelsMax = 8;

/** `{"fmt": "none", "attStmt": {}, "authData":`, in CBOR. */
const withoutStatement = Buffer.from("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData", "latin1");

/**
 * The same attestation object with the format `none`. To verify the certificates of other formats, the library would fetch lists of revoked
 * ones from any address that they name, without the egress filter and without a limit.
 * @param attestationObject CBOR in base64url.
 * @returns CBOR in base64url; an empty text, which the library refuses, if it isn't an attestation object.
 */
export function withoutAttestation(attestationObject: unknown): string {
  if (typeof attestationObject !== "string") return "";
  const bytes = Buffer.from(attestationObject, "base64url");
  if (bytes[0] !== 0xa3) return "";
  let authData: Buffer | undefined;
  let at = 1;
  for (let entry = 0; entry < 3; entry += 1) {
    const keyEnd = endOf(bytes, at);
    const valueEnd = keyEnd === undefined ? undefined : endOf(bytes, keyEnd);
    if (keyEnd === undefined || valueEnd === undefined) return "";
    if (bytes.toString("latin1", at, keyEnd) === "\x68authData" && (bytes[keyEnd] ?? 0) >> 5 === 2)
      authData = bytes.subarray(keyEnd, valueEnd);
    at = valueEnd;
  }
  return authData && at === bytes.length ? Buffer.concat([withoutStatement, authData]).toString("base64url") : "";
}

/** Position behind the CBOR item at `at`; undefined if it is incomplete, nested too deeply, or of a length that isn't stated. */
function endOf(bytes: Buffer, at: number, levels = levelsMax): number | undefined {
  const first = bytes[at];
  if (first === undefined || levels === 0) return undefined;
  const [type, short] = [first >> 5, first & 31];
  const lengthBytes = short < 24 ? 0 : 2 ** (short - 24);
  let end = at + 1 + lengthBytes;
  if (short > 27 || end > bytes.length) return undefined;
  if (type < 2 || type === 7) return end; // numbers and simple values
  if (lengthBytes > 4) return undefined;
  const length = lengthBytes === 0 ? short : bytes.readUIntBE(at + 1, lengthBytes);
  if (type < 4) return end + length <= bytes.length ? end + length : undefined;
  const items = type === 4 ? length : type === 5 ? 2 * length : 1; // a tag has one
  for (let left = items; left > 0; left -= 1) {
    const next = endOf(bytes, end, levels - 1);
    if (next === undefined) return undefined;
    end = next;
  }
  return end;
}
