// Bad requests, made from the published document: whatever is added to the service is attacked without a word written here.
import fc from 'fast-check';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { oddText, oddValue } from '../data/hostile.ts';

/** A JSON schema. */
// oxlint-disable-next-line typescript/no-explicit-any
type Shape = any;

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
      Object.entries<Shape>(properties).map(([key, field]) => [key, sampleOf(document, field, known, key)]),
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

type Path = readonly string[];

/** Every place in a value, the whole of it first. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => placesIn(part, [...path, key]))];
}

function replacedAt(value: unknown, [key, ...rest]: Path, put: (before: unknown) => unknown): unknown {
  if (key === undefined) return put(value);
  const entries = entriesOf(value).map(([name, part]) => [name, name === key ? replacedAt(part, rest, put) : part]);
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}

/** The sample with one thing wrong with it. */
export function damaged(sample: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(sample);
  const records = places.filter((path) => isRecord(partAt(sample, path)));
  const lists = places.filter((path) => Array.isArray(partAt(sample, path)));
  const spoiled = (where: readonly Path[], how: fc.Arbitrary<(before: unknown) => unknown>) =>
    where.length === 0
      ? []
      : [fc.tuple(fc.constantFrom(...where), how).map(([path, put]) => replacedAt(sample, path, put))];
  return fc.oneof(
    ...[(value: unknown) => () => value, (value: unknown) => () => [value]].flatMap((put) =>
      spoiled(places, oddValue.map(put)),
    ),
    ...spoiled(
      records,
      fc.tuple(oddText, oddValue).map((field) => (before) => Object.fromEntries([...entriesOf(before), field])),
    ),
    ...spoiled(
      records,
      fc.nat().map((which) => (before) => {
        const entries = entriesOf(before);
        return Object.fromEntries(entries.filter((_, index) => index !== which % Math.max(1, entries.length)));
      }),
    ),
    ...spoiled(
      lists,
      fc.constant((before) => Array.from({ length: 500 }, () => (before as unknown[])[0])),
    ),
  );
}

const entriesOf = (value: unknown): [string, unknown][] => Object.entries(value as object);

const partAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], value);

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
