// The payload carried over as text is the payload that parsing would have found, whatever a stranger writes.
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '#schemas/json-text.ts';
import { entryOf } from '#src/feed/entry.ts';
import type { FeedRow } from '#src/store/log/feed.ts';
import { anyText } from '../../harness/data/any-text.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

const row = (body: string | null, more: Partial<FeedRow> = {}): FeedRow => ({
  seq: 7,
  event: 'contact.updated',
  source: 'webhook',
  subject_uri: 'https://api.example.test/contacts/1',
  occurred_at: null,
  received_at: '2025-04-14T12:00:00.000000Z',
  outcome: 'applied',
  changes: null,
  body,
  encoding: null,
  ...more,
});

const carried = (given: FeedRow): unknown => {
  const { text } = entryOf(given);
  expect(text).not.toMatch(/[\r\n]/);
  return (JSON.parse(text) as { payload: unknown }).payload;
};

/** The plain way. */
function parsed(body: string): unknown {
  if (!readJson(body).ok) return null;
  const value = JSON.parse(body) as unknown;
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'payload')
    ? (value as { payload: unknown }).payload
    : null;
}

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const escapedKey = (key: string): string =>
  key.replaceAll(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
const word = fc.oneof(
  anyText({ maxLength: 6 }),
  fc.constantFrom('payload', '"payload":{', '\\', '\\"', '{', '}', ',', '\u2028', '\ud800', '\u0000'),
);
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('"payload"', `"${escapedKey('payload')}"`, `"pa\\u0079load"`) },
  fc.constantFrom('"Payload"', '"payload "', '"payload\\\\"', '"\\"payload"', '"__proto__"', '"event"'),
  word.map((text) => JSON.stringify(text)),
);
const leaf = fc.oneof(
  word.map((text) => JSON.stringify(text)),
  fc.constantFrom('null', 'true', 'false', '0', '-0', '1e5', '12345678901234567890', '-1.50E-3', '[]', '{}', '""'),
);

/** JSON text in odd spacing, with duplicate keys, at every depth. */
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(space, fc.array(tie('value'), { maxLength: 3 }))
      .map(([gap, items]) => `[${gap}${items.join(`${gap},`)}${gap}]`),
    fc
      .tuple(space, space, fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }))
      .map(([a, b, pairs]) => `{${a}${pairs.map(([name, text]) => `${name}${b}:${a}${text}${b}`).join(`,${a}`)}}`),
  ),
}));

/** Some of it torn or mixed up. */
const someText: Arbitrary<string> = fc.oneof(
  jsonText,
  fc.tuple(space, jsonText, space).map((parts) => parts.join('')),
  fc.tuple(jsonText, fc.nat(), word).map(([text, at, extra]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + extra + text.slice(place);
  }),
  anyText(),
);

describe('the payload of an entry', () => {
  it('equals the parsed payload for every JSON text that was parsed', { timeout: propertyTimeoutMs }, () => {
    fc.assert(
      fc.property(jsonText, (body) => {
        fc.pre(readJson(body).ok);
        expect(carried(row(body))).toEqual(parsed(body));
      }),
      runs(800),
    );
  });

  it('equals the parsed payload, or is null, for every quarantined text', { timeout: propertyTimeoutMs }, () => {
    fc.assert(
      fc.property(someText, (body) => {
        expect(carried(row(body, { outcome: 'quarantined' }))).toEqual(parsed(body));
      }),
      runs(800),
    );
  });

  it('keeps numbers that JavaScript would round', () => {
    expect(entryOf(row('{"payload":{"id":12345678901234567890}}')).text).toContain('{"id":12345678901234567890}');
  });

  it('is null when it was pruned, is not text, or is nested too deeply', () => {
    const deep = `{"payload":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(carried(row(null))).toBeNull();
    expect(carried(row('eyJwYXlsb2FkIjoxfQ==', { encoding: 'base64', outcome: 'quarantined' }))).toBeNull();
    expect(carried(row(deep, { outcome: 'quarantined' }))).toBeNull();
  });
});
