// The key ring: the signing keys that are valid now, from the configuration or from a file in the data folder. The file is read again
// when it changes, so that keys rotate without a restart. Time is an argument; no message contains a key.
import { randomBytes, scryptSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { slotstream } from '#src/base/command.ts';
import { createFile, replaceFile } from '#src/base/durable-file.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { secretBytes, weakKeyIn } from './weak-key.ts';

export interface KeyRingOptions {
  /** The configured keys; undefined: those of the file. */
  readonly keys: readonly string[] | undefined;
  readonly dataDir: string;
  /** Only `start` creates a key; a separate `receive` with a key of its own would reject every delivery. */
  readonly generate: boolean;
  readonly allowUnsigned: boolean;
}

export interface KeyRing {
  /** The keys that verify now; the first is used to register and to sign. */
  keysAt(nowMs: number): readonly string[];
  /** Shown to the operator at start and by `doctor`. */
  readonly warnings: readonly string[];
  readonly source: 'configuration' | 'file' | 'none';
  readonly hasNewKey: boolean;
}

/** A new key in the file is used by every process after this time. */
export const recheckMs = 1000;
const keyFile = 'signing-keys';
const recommendedBytes = 24;

export function openKeyRing(options: KeyRingOptions): KeyRing {
  if (options.keys !== undefined) {
    const keys = checkKeys(options.keys, 'SIGNING_KEYS');
    return { keysAt: () => keys, warnings: warningsAbout(keys), source: 'configuration', hasNewKey: false };
  }
  const path = join(options.dataDir, keyFile);
  const hasNewKey = stampOf(path) === undefined && options.generate;
  if (hasNewKey) createFile(path, textOf([newKey()]));
  const stamp = stampOf(path);
  if (stamp !== undefined) {
    const keys = readKeyFile(path);
    const keysAt = rereadOnChange({ path, stamp, keys });
    return { keysAt, warnings: warningsAbout(keys), source: 'file', hasNewKey };
  }
  if (options.allowUnsigned) return { keysAt: () => [], warnings: [], source: 'none', hasNewKey: false };
  throw new SlotstreamError('config', 'There is no signing key, so no delivery could be verified.', {
    hint: `Set SIGNING_KEYS to the key the subscriptions were made with, or to a new one: openssl rand -base64 32. ${slotstream} start makes one by itself.`,
  });
}

/** While the file is missing or invalid for a moment (an editor saving), the last good keys stay valid. */
function rereadOnChange(opened: { path: string; stamp: string; keys: readonly string[] }): KeyRing['keysAt'] {
  let { stamp, keys } = opened;
  let checkedAt = -Infinity;
  return (nowMs) => {
    if (nowMs - checkedAt < recheckMs && nowMs >= checkedAt) return keys;
    checkedAt = nowMs;
    try {
      const seen = stampOf(opened.path);
      if (seen === undefined || seen === stamp) return keys;
      keys = readKeyFile(opened.path);
      stamp = seen;
    } catch {
      return keys;
    }
    return keys;
  };
}

/** Changes whenever the file does: an editor may preserve the time or the size, but not the inode too. */
function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.ino}:${stats.mtimeNs}:${stats.size}`;
}

/** 32 random bytes. */
export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Puts a key before those in the file, where receivers find it by themselves; the old keys still verify. The caller must be the only
 * one to change the file.
 */
export function addKey(dataDir: string, key: string): readonly [string, ...string[]] {
  const path = join(dataDir, keyFile);
  const keys = [key, ...readKeyFile(path).filter((old) => old !== key)] as const;
  checkKeys(keys, path);
  // Flushed before the key is used: a key that is registered and then lost cannot be read back from anywhere.
  replaceFile(path, textOf(keys));
  return keys;
}

const textOf = (keys: readonly string[]): string =>
  keys
    .map(
      (key) => `${key}
`,
    )
    .join('');

/**
 * The public id of a key, used in the callback URL of a subscription. Slow on purpose: otherwise a short key could be found from its
 * id by trying all of them.
 */
export function keyMarkOf(key: string): string {
  const known = marks.get(key);
  if (known !== undefined) return known;
  const mark = scryptSync(key, 'slotstream key id', 12).toString('base64url');
  marks.set(key, mark);
  return mark;
}

/** The marks of the keys that verify now; none where there is no key yet. */
export function keyMarks(options: Pick<KeyRingOptions, 'keys' | 'dataDir'>): readonly string[] {
  return openKeyRing({ ...options, generate: false, allowUnsigned: true })
    .keysAt(0)
    .map(keyMarkOf);
}

/** Cached: a running process checks its subscriptions every few minutes and should not block each time. */
const marks = new Map<string, string>();

function readKeyFile(path: string): readonly string[] {
  const lines = readFileSync(path, 'utf8').split(/[\n,]/);
  return checkKeys(
    lines.map((line) => line.trim()).filter((line) => line !== ''),
    path,
  );
}

function checkKeys(keys: readonly string[], source: string): readonly string[] {
  const weak = weakKeyIn(keys);
  if (weak) throw new SlotstreamError('config', `A signing key in ${source} ${weak.problem}.`, { hint: weak.hint });
  return keys;
}

function warningsAbout(keys: readonly string[]): readonly string[] {
  const short = keys.filter((key) => secretBytes(key) < recommendedBytes).length;
  if (short === 0) return [];
  return [
    `${short} signing key${short === 1 ? ' is' : 's are'} shorter than ${recommendedBytes} bytes and could be guessed`,
  ];
}
