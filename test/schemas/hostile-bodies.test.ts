import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { eventKinds } from '#schemas/events.ts';
import { bodyOf, fullInvitee, inviteeUri } from './bodies.ts';
import { runs } from '../harness/runs.ts';

/** Puts raw JSON text where a payload's key goes, for what JSON.stringify would not write. */
function inviteeWith(members: string): string {
  return `{"event":"invitee.created","created_at":"2026-03-01T10:00:00Z","payload":{"uri":"${inviteeUri}",${members}}}`;
}

function payloadOf(body: string): Readonly<Record<string, unknown>> {
  const read = readDelivery(body);
  if (read.state !== 'known') throw new Error(`${read.state}: ${JSON.stringify(read)}`);
  return read.payload;
}

describe('depth and size bombs', () => {
  it('nesting beyond 64 is refused before it is parsed, and up to 64 it is read', () => {
    const bombs = ['['.repeat(200_000), '{"a":'.repeat(170_000), inviteeWith(`"x":${'['.repeat(63)}${']'.repeat(63)}`)];
    for (const bomb of bombs) expect(readDelivery(bomb)).toMatchObject({ state: 'malformed', reason: 'too_deep' });
    expect(readDelivery(inviteeWith(`"x":${'['.repeat(62)}${']'.repeat(62)}`)).state).toBe('known');
  });

  it('more than 20,000 structural tokens are refused before they are parsed', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `"k${index}":0`).join(',');
    expect(readDelivery(inviteeWith(keys))).toMatchObject({ state: 'malformed', reason: 'too_complex' });
    expect(readDelivery(`[${'0,'.repeat(19_999)}0]`)).toMatchObject({ reason: 'too_complex' });
    expect(readDelivery(`[${'0,'.repeat(19_998)}0]`)).toMatchObject({ reason: 'the body is a list, not an object' });
  });

  it('brackets inside a string are text, also after escapes', () => {
    const name = '[{,:'.repeat(50_000) + '\\"';
    expect(payloadOf(bodyOf('invitee.created', { uri: inviteeUri, name }))['name']).toBe(name);
    expect(readDelivery(`{"event":"x\\\\","payload":${'['.repeat(70)}`)).toMatchObject({ reason: 'too_deep' });
    expect(readDelivery(`{"event":"x\\","payload":${'['.repeat(70)}`)).toMatchObject({ reason: 'not JSON' });
  });
});

describe('prototype pollution', () => {
  it.each([
    '"x":{"__\\u0070roto__":{"admin":true}}',
    '"x":{"__pr\\u006Fto__":{"admin":true}}',
    '"__proto__":{"admin":true}',
    '"\\u005f_proto__":{"admin":true}',
    '"x":{"__proto__":{"admin":true}}',
  ])('a payload with %s adds no property to any object', (members) => {
    const payload = payloadOf(inviteeWith(members));
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    expect(payload['admin']).toBeUndefined();
    expect(Object.assign({}, payload)['admin']).toBeUndefined();
    expect(JSON.stringify(payload)).not.toContain('admin');
  });

  it('an envelope that hides its event in a prototype has none', () => {
    const body = `{"__proto__":{"event":"contact.deleted"},"created_at":"2026-03-01T10:00:00Z","payload":{}}`;
    expect(readDelivery(body)).toMatchObject({ state: 'malformed', event: null });
  });
});

describe('duplicate keys', () => {
  it('identity follows what was read, so the last value counts', () => {
    const once = readDelivery(inviteeWith('"name":"b"'));
    expect(readDelivery(inviteeWith('"name":"a","name":"b"')).deliveryId).toBe(once.deliveryId);
  });
});

describe('numbers', () => {
  it('a number that a double would round is kept as its digits', () => {
    const payload = payloadOf(
      inviteeWith('"a":9007199254740993,"b":[-9007199254740993],"c":1e400,"d":-1E+308,"e": 9007199254740991'),
    );
    expect(payload).toMatchObject({
      a: '9007199254740993',
      b: ['-9007199254740993'],
      c: '1e400',
      d: '-1E+308',
      e: 9007199254740991,
    });
  });

  it('a payment beyond a double stays exact, and is another fact than its neighbour; minus zero is zero', () => {
    const withAmount = (amount: string) => readDelivery(inviteeWith(`"payment":{"amount":${amount}}`));
    const one = withAmount('9007199254740993');
    expect(one).toMatchObject({ payload: { payment: { amount: '9007199254740993' } } });
    expect(withAmount('9007199254740992').deliveryId).not.toBe(one.deliveryId);
    expect(withAmount('-0').deliveryId).toBe(withAmount('0').deliveryId);
  });
});

describe('unicode', () => {
  it('NUL and lone surrogates become U+FFFD in values and in keys', () => {
    const payload = payloadOf(inviteeWith('"name":"a\\u0000b","x":["\\ud800","\\uDC00x"],"k\\u0000":{"\\ud83d":1}'));
    expect(payload).toMatchObject({ name: 'a\uFFFDb', x: ['\uFFFD', '\uFFFDx'], 'k\uFFFD': { '\uFFFD': 1 } });
    expect(payloadOf(inviteeWith('"name":"\ud800"'))['name']).toBe('\uFFFD');
  });

  it('everything else is kept to the letter', () => {
    const name = '\u202Eabc\u200B😀 e\u0301 é Привет';
    expect(payloadOf(bodyOf('invitee.created', { uri: inviteeUri, name }))['name']).toBe(name);
    expect(payloadOf(inviteeWith('"name":"\\ud83d\\ude00"'))['name']).toBe('😀');
  });
});

describe('any string at all', () => {
  /** Any UTF-16 unit, halves of pairs included: what a body is after a careless decoding. */
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const hex = /^[0-9a-f]{64}$/;
  const holds = (body: string) => {
    const read = readDelivery(body);
    expect(read.deliveryId).toMatch(hex);
    expect(read.tie).toMatch(/^[0-9a-f]{16}$/);
    expect(['known', 'unknown', 'malformed']).toContain(read.state);
    expect(JSON.stringify(read).isWellFormed()).toBe(true);
  };

  it('is read without throwing, also when it looks like a delivery', () => {
    const mutated = fc
      .tuple(fc.constantFrom(...Object.keys(fullInvitee)), fc.jsonValue())
      .map(([key, value]) => ({ ...fullInvitee, [key]: value }));
    const envelope = fc.record(
      {
        event: fc.oneof(fc.constantFrom(...Object.keys(eventKinds)), fc.string({ unit })),
        created_at: fc.oneof(fc.constant('2026-03-01T10:00:00Z'), fc.jsonValue()),
        payload: fc.oneof(mutated, fc.jsonValue(), fc.record({ contact: fc.jsonValue(), recap: fc.jsonValue() })),
      },
      { requiredKeys: [] },
    );
    const looksLikeOne = envelope.map((body) => JSON.stringify(body));
    for (const body of [fc.string({ unit, maxLength: 200 }), fc.json({ stringUnit: unit }), looksLikeOne])
      fc.assert(fc.property(body, holds), runs(100));
  });

  it('never has a value in its reason', () => {
    const canary = 'canary@example.test';
    const wrong = fc.constantFrom<unknown>(canary, [canary], { a: canary }, [
      { uri: canary, email: [canary], position: canary },
    ]);
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(fullInvitee), 'emails', 'custom_fields'),
        wrong,
        fc.constantFrom(...Object.keys(eventKinds)),
        (key, value, event) => {
          const read = readDelivery(bodyOf(event, { ...fullInvitee, [key]: value }));
          expect(read.state === 'malformed' ? read.reason : '').not.toContain('canary');
        },
      ),
      runs(100),
    );
  });
});
