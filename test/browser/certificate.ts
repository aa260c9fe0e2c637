/** Creates a certificate for a test's https server (X.509, RFC 5280; Node can read certificates but not create them). */

import { createHash, generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  /** PEM, for `https.createServer`. */
  key: string;
  cert: string;
  /** SHA-256 of the public key, in the form expected by Chromium's `--ignore-certificate-errors-spki-list`. */
  spkiHash: string;
}

const oids = {
  ecdsaWithSha256: "2a8648ce3d040302",
  rsaWithSha256: "2a864886f70d01010b",
  commonName: "550403",
  subjectAltName: "551d11",
  authorityInformation: "2b06010505070101",
  issuers: "2b06010505073002",
};

/** Self-signed, and valid for one day around now. @param issuerUrl where another issuer's certificate is said to be. */
export function createCertificate(host: string, issuerUrl?: string, type: "ec" | "rsa" = "ec"): Certificate {
  const keys = {
    ec: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    rsa: () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
  };
  const { privateKey, publicKey } = keys[type]();
  const spki = publicKey.export({ type: "spki", format: "der" });
  const algorithm = type === "ec" ? sequence(oid(oids.ecdsaWithSha256)) : sequence(oid(oids.rsaWithSha256), tlv(0x05));
  const nameOf = (text: string) => sequence(tlv(0x31, sequence(oid(oids.commonName), tlv(0x0c, Buffer.from(text)))));
  const issuers = (url: string) => sequence(sequence(oid(oids.issuers), tlv(0x86, Buffer.from(url))));
  const extension = (id: string, content: Buffer) => sequence(oid(id), tlv(0x04, content));
  const halfDayMs = 12 * 3_600_000;
  const alternative = extension(oids.subjectAltName, sequence(tlv(0x82, Buffer.from(host))));
  const authority = issuerUrl === undefined ? [] : [extension(oids.authorityInformation, issuers(issuerUrl))];
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))), // version 3
    tlv(0x02, Buffer.from([1])),
    algorithm,
    nameOf(issuerUrl === undefined ? host : "Another issuer"),
    sequence(time(Date.now() - halfDayMs), time(Date.now() + halfDayMs)),
    nameOf(host),
    spki,
    tlv(0xa3, sequence(alternative, ...authority)),
  );
  const signature = sign("sha256", content, privateKey);
  const der = sequence(content, algorithm, tlv(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`,
    spkiHash: createHash("sha256").update(spki).digest("base64"),
  };
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

/** Tag, length and value (X.690). */
function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  // Chromium accepts only the shortest form of a length.
  const { length } = value;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, "hex"));
}

function time(ms: number): Buffer {
  return tlv(
    0x17,
    Buffer.from(
      new Date(ms)
        .toISOString()
        .slice(2)
        .replace(/[-:T]|\.\d+/g, ""),
    ),
  );
}
