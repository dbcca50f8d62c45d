// Writes output to a stream so that names and texts of others cannot control a terminal.
import type { Writable } from 'node:stream';

/** All but line breaks and tabs: C0 and C1 controls, and characters that change the direction of the text. */
const controls =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/g;

/** Each as its code, as JSON writes it. */
export const escapeControls = (text: string): string =>
  text.replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Where output goes: `isTTY` is true when a person reads it. */
export type OutputStream = Pick<Writable, 'write'> & { readonly isTTY?: boolean };

/** Writes text. To a terminal it writes characters that would control it as their codes. */
export const writerTo =
  (stream: OutputStream) =>
  (text: string, done?: (error: NodeJS.ErrnoException | null | undefined) => void): void =>
    void stream.write(stream.isTTY ? escapeControls(text) : text, done);
