/** Removes the attestation from a new passkey: the service asks for none, and verifying one has side effects. */

/**
 * The same attestation object with the format `none`. To verify the certificates of other formats, the library would fetch lists of revoked
 * ones from any address that they name, without the egress filter and without a limit.
 * @param attestationObject CBOR in base64url, as in WebAuthn's `AuthenticatorAttestationResponse`.
 * @returns CBOR in base64url; an empty text, which the library refuses, if it isn't an attestation object.
 */
export async function withoutAttestation(attestationObject: unknown): Promise<string> {
  if (typeof attestationObject !== "string") return "";
  const { decodeAttestationObject, isoCBOR } = await import("@simplewebauthn/server/helpers"); // loads slowly
  try {
    const authData = decodeAttestationObject(Buffer.from(attestationObject, "base64url")).get("authData");
    const entries = { fmt: "none", attStmt: new Map<string, string>(), authData };
    return authData instanceof Uint8Array ? Buffer.from(isoCBOR.encode(new Map(Object.entries(entries)))).toString("base64url") : "";
  } catch {
    return "";
  }
}
