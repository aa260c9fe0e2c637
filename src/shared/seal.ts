/** Encrypts secrets before they are stored: AES-256-GCM with a key derived from `AUTH_SECRET`. */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

export interface Seal {
  /** @param owner must be the same for `open`, so that a row copied to another account is useless. */
  close(text: string, owner: string): Buffer;
  /** Undefined if the data was sealed with another `AUTH_SECRET` or for another owner, or was tampered with. */
  open(sealed: Buffer, owner: string): string | undefined;
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** @param purpose what the key is for; each purpose has its own key. */
export function createSeal(authSecret: string, purpose: string): Seal {
  // RFC 5869. No salt is needed, because the secret is random.
  const key = Buffer.from(hkdfSync("sha256", authSecret, "", `tintype ${purpose}`, 32));
  return {
    close(text, owner) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
      const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
    },
    open(sealed, owner) {
      const tag = sealed.subarray(ivBytes, ivBytes + tagBytes);
      if (tag.length < tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
      try {
        return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
