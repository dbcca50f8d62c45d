// The part of dbt that the example project needs: renders its models, runs them in the order of their references, and its tests.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

/** Runs a statement; returns the rows of a query. */
export type Run = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/** A part of the project's YAML. */
// oxlint-disable-next-line typescript/no-explicit-any
type Yaml = any;

export function readProject(folder: string) {
  const read = (name: string) => readFileSync(join(folder, 'models', name), 'utf8');
  const tables: readonly Yaml[] = parse(read('sources.yml')).sources[0].tables;
  const models: readonly Yaml[] = parse(read('models.yml')).models;
  const texts = new Map(
    globSync('*.sql', { cwd: join(folder, 'models') }).map((file) => [basename(file, '.sql'), read(file)]),
  );
  const relationOf = (reference: string): string => {
    const [, source] = /^source\('slotstream', '(\w+)'\)$/.exec(reference) ?? [];
    const [, model] = /^ref\('(\w+)'\)$/.exec(reference) ?? [];
    if (tables.some(({ name }) => name === source)) return String(source);
    if (model !== undefined && texts.has(model)) return `dbt_${model}`;
    throw new Error(`No source or model: ${reference}`);
  };
  const render = (text: string): string =>
    text.replaceAll(/\{\{ (\w+\([^)]*\)) \}\}/g, (_, reference: string) => relationOf(reference));
  const ordered = inOrder(texts);
  return {
    sources: tables,
    models,
    /** Builds every model, each as a table. */
    async build(run: Run): Promise<void> {
      for (const name of ordered) {
        await run(`drop table if exists dbt_${name}`);
        await run(`create table dbt_${name} as ${render(texts.get(name) ?? '')}`);
      }
    },
    /** The rows that fail a test, by test. */
    async failures(run: Run): Promise<Readonly<Record<string, number>>> {
      const counts: Record<string, number> = {};
      const relations = [
        ...tables.map((table) => ({ ...table, relation: table.name })),
        ...models.map((model) => ({ ...model, relation: `dbt_${model.name}` })),
      ];
      for (const { relation, columns = [] } of relations)
        for (const { name, data_tests = [] } of columns)
          for (const test of data_tests) {
            const [row] = await run(
              `select count(*) as failing from (${failing({ relation, name, test }, relationOf)}) as found`,
            );
            const label = typeof test === 'string' ? test : Object.keys(test)[0];
            counts[`${relation}.${name} ${label}`] = Number(row?.['failing']);
          }
      return counts;
    },
  };
}

/** Every model after those it refers to. */
function inOrder(texts: ReadonlyMap<string, string>): readonly string[] {
  const done: string[] = [];
  const add = (name: string): void => {
    if (done.includes(name)) return;
    for (const [, other = ''] of (texts.get(name) ?? '').matchAll(/ref\('(\w+)'\)/g)) add(other);
    done.push(name);
  };
  for (const name of [...texts.keys()].toSorted()) add(name);
  return done;
}

function failing(
  { relation, name, test }: { readonly relation: string; readonly name: string; readonly test: Yaml },
  relationOf: (reference: string) => string,
): string {
  if (test === 'not_null') return `select 1 from ${relation} where ${name} is null`;
  if (test === 'unique')
    return `select ${name} from ${relation} where ${name} is not null group by ${name} having count(*) > 1`;
  if ('accepted_values' in test) {
    const values = test.accepted_values.values.map((value: string) => `'${value}'`).join();
    return `select 1 from ${relation} where ${name} not in (${values})`;
  }
  const { to, field } = test.relationships;
  return `select 1 from ${relation} as child where ${name} is not null
    and not exists (select 1 from ${relationOf(to)} as parent where parent.${field} = child.${name})`;
}
