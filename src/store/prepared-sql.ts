// The texts of statements over many rows. Kysely builds each once for each number of rows; after that only its text is used
// again with other parameters, because building it costs more than running it.
import type { Compilable } from 'kysely';
import type { StoreEngine, Unit } from './contract.ts';

export const largestStatement = 64;
const texts = new WeakMap<StoreEngine, Map<string, string>>();

export function textOf(unit: Unit, id: string, build: () => Compilable): string {
  let known = texts.get(unit.engine);
  if (!known) texts.set(unit.engine, (known = new Map()));
  const name = `${unit.schema ?? ''} ${id}`;
  let text = known.get(name);
  if (text === undefined) known.set(name, (text = build().compile().sql));
  return text;
}

export function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / largestStatement) }, (_, index) =>
    items.slice(index * largestStatement, (index + 1) * largestStatement),
  );
}

/** Repeats the last value: a few statement texts then serve every number of keys. */
export function padded(values: readonly string[], size: number): string[] {
  return Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)] as string);
}

export const largestPowerOfTwo = (limit: number) => 2 ** Math.floor(Math.log2(limit));
export const powerOfTwo = (least: number) => 2 ** Math.ceil(Math.log2(least));
