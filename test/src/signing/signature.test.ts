import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { keyIdOf, signDelivery, verifySignature } from '#src/signing/signature.ts';
import type { SignatureScheme, SignedRequest } from '#src/signing/signature.ts';
import { anyText } from '../../harness/data/any-text.ts';
import { forgedDeliveries } from '../../harness/forged-deliveries.ts';
import { runs } from '../../harness/runs.ts';

const headerName = 'Calendly-Webhook-Signature';
const key = 'a signing key of thirty-two bytes';
const now = 1_760_000_000;
const body = Buffer.from('{"event":"invitee.created","payload":{}}');

function headersOf(pairs: Record<string, string | readonly string[]>): SignedRequest['headers'] {
  const lower = new Map(Object.entries(pairs).map(([name, value]) => [name.toLowerCase(), [value].flat()]));
  return (name) => lower.get(name) ?? [];
}

function check(pairs: Record<string, string | readonly string[]>, changes: Partial<SignedRequest> = {}) {
  const time = { toleranceSeconds: 180, nowSeconds: now };
  const request = { scheme: 'timestamped', headerName, body, keys: [key], ...time } as const;
  return verifySignature({ ...request, headers: headersOf(pairs), ...changes });
}

function signed(changes: Partial<Parameters<typeof signDelivery>[0]> = {}) {
  return signDelivery({ scheme: 'timestamped', headerName, key, body, atSeconds: now, id: 'msg_1', ...changes });
}

const refused = (refusal: string) => ({ ok: false, refusal });
const accepted = { ok: true, keyId: keyIdOf(key) };
const mac = createHmac('sha256', key).update(`${now}.`).update(body).digest('hex');

describe('the timestamped scheme', () => {
  it('accepts what createHmac makes over time, dot and raw body', () => {
    expect(check({ [headerName]: `t=${now},v1=${mac}` })).toEqual(accepted);
    expect(signed()).toEqual({ [headerName]: `t=${now},v1=${mac}` });
  });

  it('agrees with createHmac for keys and bodies of any length', () => {
    type Example = [key: string, body: Uint8Array<ArrayBuffer>];
    // The block of a hash is 64 bytes, and a prefix of Standard Webhooks is part of the key.
    const keys = ['k'.repeat(63), 'k'.repeat(64), 'k'.repeat(65), 'whsec_c2VjcmV0'].map((each): Example => [
      each,
      body,
    ]);
    // A buffer of 64 KiB is used again for what fits.
    const sizes = [65_000, 65_460, 65_461, 65_462, 65_536, 1_000_000];
    const bodies = sizes.map((bytes): Example => [key, Buffer.alloc(bytes, 'ab')]);
    fc.assert(
      fc.property(
        anyText({ minLength: 1, maxLength: 200, size: 'max' }),
        fc.uint8Array({ maxLength: 3000 }),
        (anyKey, bytes) => {
          const expected = createHmac('sha256', anyKey).update(`${now}.`).update(bytes).digest('hex');
          expect(signed({ key: anyKey, body: bytes })[headerName]).toBe(`t=${now},v1=${expected}`);
        },
      ),
      // The examples count as runs.
      { ...runs(200), examples: [...keys, ...bodies] },
    );
  });

  it('tolerates spaces, order and unknown keys', () => {
    expect(check({ [headerName]: ` v0=none , v1 = ${mac}, t=${now} , v1a=x,=y` })).toEqual(accepted);
  });

  it('accepts any one of up to five candidates', () => {
    const wrong = `v1=${'0'.repeat(64)}`;
    expect(check({ [headerName]: `t=${now},${`${wrong},`.repeat(4)}v1=${mac}` })).toEqual(accepted);
  });

  it('reads a header of up to 1,024 characters', () => {
    expect(check({ [headerName]: `t=${now},v1=${mac}`.padEnd(1024) })).toEqual(accepted);
    expect(check({ [headerName]: `t=${now},v1=${mac}`.padEnd(1025) })).toEqual(refused('malformed'));
  });

  it.each(forgedDeliveries(key, now))('refuses $name', ({ body, values, refusal }) => {
    expect(check({ [headerName]: values }, { body: Buffer.from(body) })).toEqual(refused(refusal));
  });

  it.each([
    ['a negative time', `t=-1,v1=${mac}`],
    ['a time with an underscore', `t=1_0,v1=${mac}`],
    ['an exponent', `t=1e9,v1=${mac}`],
    ['a fraction', `t=1.5,v1=${mac}`],
    ['an endless time', `t=${'9'.repeat(300)},v1=${mac}`],
    ['one hex digit', `t=${now},v1=a`],
    ['a trailing comma', `t=${now},v1=${mac},`],
    ['a line break', `t=${now}\nv1=${mac}`],
    ['no ASCII', `t=${now},v1=é${mac.slice(1)}`],
    ['Arabic digits', `t=١٢٣,v1=${mac}`],
    ['no algorithm', `t=${now},none`],
    ['two joined headers', `t=${now},v1=${mac}, t=${now},v1=${mac}`],
  ])('calls a header with %s malformed', (_, header) => {
    expect(check({ [headerName]: header })).toEqual(refused('malformed'));
  });

  it('answers any string with a declared refusal', () => {
    const pieces = fc.constantFrom('t=', 'v1=', ',', ' ', '=', String(now), mac, 'a', '\n', '\u0000', 'é');
    const strings = fc.oneof(
      anyText(),
      fc.array(pieces, { maxLength: 20 }).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(strings, (header) => {
        const verdict = check({ [headerName]: header }, { keys: ['another key of thirty-two bytes!!'] });
        expect(['malformed', 'wrong', 'stale']).toContain(verdict.ok || verdict.refusal);
      }),
      runs(500),
    );
  });
});

describe('age', () => {
  for (const offset of [-180, 0, 180])
    it(`accepts a delivery signed ${offset} s from now`, () => {
      expect(check(signed({ atSeconds: now + offset }))).toEqual(accepted);
    });

  for (const offset of [-181, 181])
    it(`tells a rightly signed delivery ${offset} s from now apart from a forged one`, () => {
      expect(check(signed({ atSeconds: now + offset }))).toEqual(refused('stale_signed'));
      expect(check(signed({ atSeconds: now + offset, key: 'not the key at all, but as long.' }))).toEqual(
        refused('stale'),
      );
    });

  it('is not checked with a tolerance of 0', () => {
    expect(check(signed({ atSeconds: 1 }), { toleranceSeconds: 0 })).toEqual(accepted);
  });

  it('is too great for a tolerance, and at a time, that is no number (N2)', () => {
    for (const toleranceSeconds of [NaN, -1, null, 'abc', {}] as number[])
      expect(check(signed({ atSeconds: 1 }), { toleranceSeconds })).toEqual(refused('stale_signed'));
    expect(check(signed(), { nowSeconds: NaN })).toEqual(refused('stale_signed'));
  });
});

describe('the key ring', () => {
  const old = 'the previous key, also of 32 byte';

  it('accepts every key on it and says which one matched', () => {
    expect(check(signed({ key: old }), { keys: [key, old] })).toEqual({ ok: true, keyId: keyIdOf(old) });
    expect(check(signed(), { keys: [key, old] })).toEqual(accepted);
  });

  it('refuses a key that was taken off, and everything when it is empty', () => {
    expect(check(signed({ key: old }))).toEqual(refused('wrong'));
    expect(check(signed(), { keys: [] })).toEqual(refused('wrong'));
  });

  it('names a key without observation anything of it', () => {
    expect(keyIdOf(key)).toMatch(/^[0-9a-f]{8}$/);
    expect(key).not.toContain(keyIdOf(key));
    expect(keyIdOf(old)).not.toBe(keyIdOf(key));
  });
});

describe('the Standard Webhooks scheme', () => {
  const scheme: SignatureScheme = 'standard-webhooks';
  const secret = `whsec_${Buffer.from('a secret of 24 bytes or more').toString('base64')}`;
  const standard = (changes = {}) => signed({ scheme, key: secret, ...changes });
  const checkStandard = (pairs: Record<string, string | readonly string[]>, changes: Partial<SignedRequest> = {}) =>
    check(pairs, { scheme, keys: [secret], ...changes });

  it('accepts what the reference library signs', () => {
    const at = new Date(now * 1000);
    const signature = new Webhook(secret).sign('msg_1', at, body.toString());
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(now), 'webhook-signature': signature };
    expect(checkStandard(headers)).toEqual({ ok: true, keyId: keyIdOf(secret) });
  });

  it('signs what the reference library accepts', () => {
    const atSeconds = Math.floor(Date.now() / 1000);
    expect(new Webhook(secret).verify(body.toString(), standard({ atSeconds }))).toEqual(JSON.parse(body.toString()));
  });

  it('takes a key without the prefix as text', () => {
    const headers = standard({ key });
    expect(headers).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now),
      'webhook-signature': new Webhook(key, { format: 'raw' }).sign('msg_1', new Date(now * 1000), body.toString()),
    });
    expect(checkStandard(headers, { keys: [key] })).toEqual(accepted);
  });

  it('accepts any v1 of a list and ignores other versions', () => {
    const headers = standard();
    const list = `v1a,abc v1,${'A'.repeat(43)}= ${headers['webhook-signature']}`;
    expect(checkStandard({ ...headers, 'webhook-signature': list })).toMatchObject({ ok: true });
  });

  const changes: Record<string, [Record<string, string | readonly string[]>, string]> = {
    'no id': [{ 'webhook-id': [] }, 'missing'],
    'no time': [{ 'webhook-timestamp': [] }, 'missing'],
    'no signature': [{ 'webhook-signature': [] }, 'missing'],
    'another id': [{ 'webhook-id': 'msg_2' }, 'wrong'],
    'another time': [{ 'webhook-timestamp': String(now + 1) }, 'wrong'],
    'an id with a dot': [{ 'webhook-id': 'msg.1' }, 'malformed'],
    'an id of two values': [{ 'webhook-id': ['msg_1', 'msg_1'] }, 'malformed'],
    'a time of two values': [{ 'webhook-timestamp': [String(now), String(now)] }, 'malformed'],
    'a signature of two values': [{ 'webhook-signature': ['v1,', 'v1,'] }, 'malformed'],
    'a signature with a character before it': [{ 'webhook-signature': `v1,A${'A'.repeat(43)}=` }, 'malformed'],
    'a signature with a character after it': [{ 'webhook-signature': `v1,${'A'.repeat(43)}=A` }, 'malformed'],
    'a time that is no number': [{ 'webhook-timestamp': 'NaN' }, 'malformed'],
    'only a public-key signature': [{ 'webhook-signature': 'v1a,abcd' }, 'malformed'],
    'a signature that is no base64': [{ 'webhook-signature': 'v1,****' }, 'malformed'],
    'six candidates': [{ 'webhook-signature': `v1,${'A'.repeat(43)}= `.repeat(6) }, 'malformed'],
  };
  for (const [name, [change, refusal]] of Object.entries(changes))
    it(`refuses ${name} as ${refusal}`, () => {
      expect(checkStandard({ ...standard(), ...change })).toEqual(refused(refusal));
    });
});

it('no signature is compared with an operator that stops at the first difference', () => {
  const source = readFileSync(new URL('../../../src/signing/signature.ts', import.meta.url), 'utf8');
  expect(source).toContain('timingSafeEqual');
  expect(source).not.toMatch(/(expected|candidates?|mac)\w*\s*[!=]==?|[!=]==?\s*(expected|candidate\b|mac\b)/i);
});
