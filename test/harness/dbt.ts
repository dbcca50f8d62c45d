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
  const resolve = (text: string, name: string): string =>
    text
      .replaceAll('{{ this }}', `dbt_${name}`)
      .replaceAll(/\{\{ (\w+\([^)]*\)) \}\}/g, (_, reference: string) => relationOf(reference));
  const render = (name: string, isIncremental: boolean): string =>
    resolve(
      (texts.get(name) ?? '')
        .replace(/^\{\{\n {2}config\([^]*?\n\}\}\n/, '')
        .replaceAll(/\{% if is_incremental\(\) %\}([^]*?)\{% endif %\}/g, isIncremental ? '$1' : ''),
      name,
    );
  const ordered = inOrder(texts);
  let isBuilt = false;
  return {
    sources: tables,
    models,
    /** Builds every model, each as a table; a second build of an incremental model changes what it selects. */
    async build(run: Run): Promise<void> {
      for (const name of ordered) {
        const key = /unique_key='(\w+)'/.exec(texts.get(name) ?? '')?.[1];
        if (isBuilt && key !== undefined) {
          await run(`create temporary table changed as ${render(name, true)}`);
          await run(`delete from dbt_${name} where ${key} in (select ${key} from changed)`);
          await run(`insert into dbt_${name} select * from changed`);
          await run('drop table changed');
        } else {
          await run(`drop table if exists dbt_${name}`);
          await run(`create table dbt_${name} as ${render(name, false)}`);
        }
        const hook = /post_hook="(.*)"/.exec(texts.get(name) ?? '')?.[1];
        if (hook !== undefined) await run(resolve(hook, name));
      }
      isBuilt = true;
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
