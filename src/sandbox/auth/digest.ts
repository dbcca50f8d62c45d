// SHA-256, the one hash of the authorization server.
import { createHash } from 'node:crypto';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** As text, for looking things up by. */
export const sha256Hex = (text: string): string => sha256(text).toString('hex');
