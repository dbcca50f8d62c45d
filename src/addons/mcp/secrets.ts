// What is derived from the secret of the mirror: pseudonyms of people, and cursors that do not show the filters in them.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

export interface McpSecrets {
  /** The same for the same person in every answer of this mirror. */
  pseudonym(identity: string): string;
  seal(text: string): string;
  /** Undefined for a text that was not sealed here. */
  open(sealed: string): string | undefined;
}

const ivBytes = 12;
const tagBytes = 16;

export function createMcpSecrets(secret: string): McpSecrets {
  const keyFor = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `slotstream mcp ${purpose}`, 32));
  const people = keyFor('people');
  const cursors = keyFor('cursors');
  return {
    // 64 bits: no two of a million addresses have the same.
    pseudonym: (identity) => `person-${createHmac('sha256', people).update(identity).digest('hex').slice(0, 16)}`,
    seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', cursors, iv);
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64url');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < ivBytes + tagBytes) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', cursors, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
