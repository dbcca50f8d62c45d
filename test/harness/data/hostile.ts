// Hostile input for every surface that strangers reach: the texts and identifiers of hostile.json, values, bodies and queries.
import fc from 'fast-check';
import { anyText } from './any-text.ts';
import corpus from './hostile.json' with { type: 'json' };

/** Each would set `window.attacked`, if a browser took it for more than text. */
export const browserTexts: readonly string[] = [...corpus.browserTexts, 'W'.repeat(10_000)];

/** Hostile values that an invitee may send, by what they attempt. */
export const messageTexts: Readonly<Record<string, string>> = {
  ...corpus.messageTexts,
  'a megabyte': 'A'.repeat(1_000_000),
  'a megabyte without spaces to break at': '👩‍👩‍👧'.repeat(100_000),
  'a pile of marks': `Z${'\u0337'.repeat(200_000)}`,
};

/** Exact only as text: a double cannot hold it. */
export const hugeNumber = '9007199254740993';

/** Bodies that grow when they are read, shown or copied, by the reason for which they are quarantined. */
export const bombs: readonly (readonly [body: string, reason: string])[] = [
  ['['.repeat(200_000), 'too_deep'],
  ['['.repeat(9_000) + ']'.repeat(9_000), 'too_deep'],
  ['['.repeat(95_000) + ']'.repeat(95_000), 'too_deep'],
  ['{"a":'.repeat(150_000), 'too_deep'],
  [`{"event":"contact.updated","payload":${'['.repeat(100)}${']'.repeat(100)}}`, 'too_deep'],
  [`[${'0,'.repeat(95_000)}0]`, 'too_complex'],
  [`{"event":"contact.updated","payload":{${'"k":1,'.repeat(120_000)}"k":1}}`, 'too_complex'],
  [`not JSON: ${"'".repeat(900_000)}`, 'not JSON'],
  [`{"a":"${'\\"'.repeat(400_000)}`, 'not JSON'],
  [`[${'9'.repeat(900_000)}x]`, 'not JSON'],
  [`{"a":[${' '.repeat(900_000)}]}`, 'event: expected string'],
];

/** Texts that programs trip over. */
const programTexts: readonly string[] = [...corpus.programTexts, 'a'.repeat(5000)];

const oddTexts = [...programTexts, ...browserTexts, ...Object.values(messageTexts)].filter(
  (text) => text.length <= 5000,
);
export const oddText = fc.oneof(fc.constantFrom(...oddTexts), anyText({ maxLength: 40 }));

/** What an attacker puts in the place of a value. */
export const oddValue = fc.oneof(
  oddText,
  fc.constantFrom<unknown[]>(null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], [null], { uri: {} }),
  fc.constant(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')),
  fc.constant(nested(60)),
  fc.jsonValue({ maxDepth: 3 }),
);

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

/** Bodies that are no JSON object at all, each with the reason. */
export const brokenBodies: readonly (readonly [reason: string, body: string | Uint8Array, type?: string])[] = [
  ['nothing', ''],
  ['a number', '1'],
  ['null', 'null'],
  ['a text', '"text"'],
  ['a list', '[{}]'],
  ['not JSON', '{email: 1}'],
  ['cut off', '{"email":"someone@exam'],
  ['two values', '{}{}'],
  ['not UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['a byte order mark alone', Uint8Array.from([0xef, 0xbb, 0xbf])],
  ['deeper than any real one', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ['deep objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['larger than allowed', JSON.stringify({ email: 'a'.repeat(2_000_000) })],
  ['of another type', '{}', 'text/plain'],
  ['a form', 'email=a%40example.test', 'application/x-www-form-urlencoded'],
  ['of no type', '{}', ''],
];

/** Queries as they stand after the question mark. Lone surrogates cannot be written there. */
export const oddQueries = (names: readonly string[]): fc.Arbitrary<string> => {
  const name = fc.oneof(fc.constantFrom(...(names.length > 0 ? names : ['count'])), oddText);
  const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
  const pair = fc.tuple(name, oddText).map(([key, value]) => `${encoded(key)}=${encoded(value)}`);
  return fc.oneof(
    fc.array(pair, { minLength: 1, maxLength: 4 }).map((pairs) => pairs.join('&')),
    fc.tuple(pair, pair).map(([one, other]) => `${one}&${one}&${other}`),
    fc.constantFrom('%', '%zz=1', '&&&&', '=', 'count=%ff', 'count[]=1', 'count[$gt]=1', `count=${'9'.repeat(4000)}`),
  );
};

/** What may stand in the place of a uuid, as it is written in the path. */
export const oddIdentifiers: readonly string[] = [...corpus.identifiers, 'a'.repeat(4000)];
