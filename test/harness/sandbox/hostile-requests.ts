// Bad requests, made from the published document: whatever is added to the service is attacked without a word written here.
import fc from 'fast-check';
import type { JsonSchema } from '#src/http/openapi/json-schema.ts';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';

/** Texts that programs trip over. */
const oddTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nX-Injected: yes',
  '\u202Etxet desrever',
  '👩‍👩‍👧‍👦',
  '\uD800',
  '__proto__',
  'constructor',
  'null',
  '-1',
  '1e309',
  '0x10',
  '١٢',
  "'; drop table contacts; --",
  '<script>alert(1)</script>',
  '${7*7}',
  '%00',
  '../../etc/passwd',
  'a'.repeat(5000),
  '2027-02-30T00:00:00Z',
  'https://',
  'javascript:alert(1)',
  'http://[::1',
] as const;

const oddText = fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: 'binary', maxLength: 40 }));

/** What an attacker puts in the place of a value. */
const oddValue = fc.oneof(
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

interface Shape extends JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly minItems?: number;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
}

/** Values that fit by name, from a real world; the rest is made up by type. */
export type Known = Readonly<Record<string, unknown>>;

/** A body of this schema with every field in it: right in its types, though perhaps not for the world. */
export function sampleOf(document: OpenApiDocument, schema: Shape, known: Known, name = ''): unknown {
  const { $ref, properties, items, type } = schema;
  if (items !== undefined) return [sampleOf(document, items, known, name)];
  const choice = (schema.anyOf ?? schema.oneOf)?.[0];
  if (choice?.items !== undefined) return sampleOf(document, choice, known, name);
  if (name in known) return known[name];
  if ($ref !== undefined)
    return sampleOf(document, document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, known, name);
  if (properties !== undefined)
    return Object.fromEntries(
      Object.entries(properties).map(([key, field]) => [key, sampleOf(document, field, known, key)]),
    );
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (choice !== undefined) return sampleOf(document, choice, known, name);
  return valueOf(typeof type === 'string' ? type : type?.[0], schema.format);
}

function valueOf(type: string | undefined, format: string | undefined): unknown {
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  if (format === 'uri') return 'http://127.0.0.1/unknown/1';
  if (format === 'email') return 'someone@example.test';
  if (format === 'date-time') return '2027-03-01T10:00:00Z';
  return 'text';
}

type Path = readonly (string | number)[];

/** Every place in a value, the whole of it first. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, part]) =>
          placesIn(part, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : [];
  return [path, ...inner];
}

function replacedAt(value: unknown, [key, ...rest]: Path, put: (before: unknown) => unknown): unknown {
  if (key === undefined) return put(value);
  if (Array.isArray(value)) return value.map((part, index) => (index === key ? replacedAt(part, rest, put) : part));
  const entries = Object.entries(value as object).map(([name, part]): [string, unknown] => [
    name,
    name === key ? replacedAt(part, rest, put) : part,
  ]);
  return Object.fromEntries(entries);
}

/** The sample with one thing wrong with it. */
export function damaged(sample: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(sample);
  const place = fc.constantFrom(...places);
  const lists = places.filter((path) => Array.isArray(partAt(sample, path)));
  const records = places.filter((path) => isRecord(partAt(sample, path)));
  return fc.oneof(
    fc.tuple(place, oddValue).map(([path, value]) => replacedAt(sample, path, () => value)),
    fc.tuple(place, oddValue).map(([path, value]) => replacedAt(sample, path, () => [value])),
    ...(records.length === 0
      ? []
      : [
          fc
            .tuple(fc.constantFrom(...records), oddText, oddValue)
            .map(([path, key, value]) =>
              replacedAt(sample, path, (before) =>
                Object.fromEntries([...Object.entries(before as object), [key, value]]),
              ),
            ),
          fc.tuple(fc.constantFrom(...records), fc.nat()).map(([path, which]) =>
            replacedAt(sample, path, (before) => {
              const entries = Object.entries(before as object);
              return Object.fromEntries(entries.filter((_, index) => index !== which % Math.max(1, entries.length)));
            }),
          ),
        ]),
    ...(lists.length === 0
      ? []
      : [
          fc
            .constantFrom(...lists)
            .map((path) =>
              replacedAt(sample, path, (before) => Array.from({ length: 500 }, () => (before as unknown[])[0])),
            ),
        ]),
  );
}

const partAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], value);

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

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
export const oddIdentifiers = [
  '..%2f..%2fusers%2fme',
  '..%2F',
  '%2e%2e%2f',
  '%00',
  'a%00b',
  '%ff%fe',
  '%',
  '%zz',
  '%E2%80%AE',
  '%F0%9F%91%A9',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'undefined',
  '0',
  '*',
  ':uuid',
  '{uuid}',
  '%20',
  'x%0d%0aX-Injected:%20yes',
  'a'.repeat(4000),
  '00000000-0000-0000-0000-000000000000',
] as const;
