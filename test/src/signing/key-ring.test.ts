import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodeOf, SlotstreamError } from '#src/base/errors.ts';
import { openKeyRing, type KeyRing, type KeyRingOptions } from '#src/signing/key-ring.ts';

let dataDir: string;
let file: string;
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'slotstream-keys-')), 'data');
  file = join(dataDir, 'signing-keys');
});
afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }));

const long = 'a key that is long enough to be safe';
const other = 'another key that is long enough too';
const open = (options: Partial<KeyRingOptions> = {}): KeyRing =>
  openKeyRing({ keys: undefined, dataDir, generate: false, allowUnsigned: false, ...options });

function complaintOf(action: () => unknown): SlotstreamError {
  try {
    action();
  } catch (error) {
    if (error instanceof SlotstreamError) return error;
  }
  throw new Error('no complaint');
}

describe('the key ring fails closed', () => {
  it('refuses to open without any key, with exit code 2 and what to do', () => {
    const complaint = complaintOf(() => open());
    expect(exitCodeOf(complaint)).toBe(2);
    expect(complaint.hint).toContain('SIGNING_KEYS');
  });

  it.each([
    ['a whsec_ key that is no base64', [`whsec_${'*'.repeat(24)}`]],
    ['a whsec_ key of one byte', ['whsec_AA==']],
    ['a whsec_ key of nothing', ['whsec_']],
    ['an empty list', []],
    ['an empty key', ['']],
    ['a blank key', [long, ' \t']],
    ['fifteen bytes', ['abcdefghijklmno']],
    ['the value of an example', [long, 'change-me-change-me-abc']],
  ])('refuses %s with exit code 2 and never says the key', (_, keys) => {
    const complaint = complaintOf(() => open({ keys }));
    expect(exitCodeOf(complaint)).toBe(2);
    expect(`${complaint.message}${complaint.hint}`).not.toContain('abc');
  });

  it('refuses a file without keys instead of running without', () => {
    open({ generate: true });
    writeFileSync(file, ' \n,\n');
    expect(exitCodeOf(complaintOf(() => open({ generate: true })))).toBe(2);
  });

  it('opens empty only where unsigned deliveries are allowed', () => {
    const ring = open({ allowUnsigned: true });
    expect([ring.keysAt(0), ring.source]).toEqual([[], 'none']);
  });
});

it('short keys are reported at start, without being shown', () => {
  const ring = open({ keys: ['only-16-bytes-xx', long] });
  expect(ring.warnings).toEqual([expect.stringContaining('1 signing key is shorter than 24 bytes')]);
  expect(ring.warnings.join('')).not.toContain('only-16');
  expect(open({ keys: [long] }).warnings).toEqual([]);
});

describe('the key file', () => {
  it('is made once, with 32 random bytes, for its owner alone', () => {
    const [key = ''] = open({ generate: true }).keysAt(0);
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(readFileSync(file, 'utf8').trim()).toBe(key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(open().keysAt(0)).toEqual([key]);
    expect(open({ generate: true }).keysAt(0)).toEqual([key]);
  });

  it('is not looked at where the configuration gives keys', () => {
    open({ generate: true });
    expect(open({ keys: [long] }).keysAt(0)).toEqual([long]);
  });

  it('holds keys by line or comma, and is read again when it changed, at most once a second', () => {
    open({ generate: true });
    const ring = open();
    const [first = ''] = ring.keysAt(0);
    writeFileSync(file, `${long}, ${first}\n\n${other}\n`);
    expect(ring.keysAt(999)).toEqual([first]);
    expect(ring.keysAt(1000)).toEqual([long, first, other]);
    writeFileSync(file, `${long}\n`);
    expect(ring.keysAt(2000)).toEqual([long]);
  });

  it('leaves the last good keys in force while it is gone or makes no sense', () => {
    open({ generate: true });
    const ring = open();
    const keys = ring.keysAt(0);
    writeFileSync(file, '');
    expect(ring.keysAt(1000)).toEqual(keys);
    rmSync(file);
    expect(ring.keysAt(2000)).toEqual(keys);
    writeFileSync(file, other);
    expect(ring.keysAt(3000)).toEqual([other]);
  });
});
