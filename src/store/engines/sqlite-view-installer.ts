// Views on SQLite, which stores the text of a view as it was given: that text is its mark.
import { CompiledQuery, sql } from 'kysely';
import type { ViewInstaller, DesiredView } from '#src/store/views/view-installer.ts';

const markOf = ({ name, text }: DesiredView): string =>
  `"${name}" as /* Kept by Slotstream: changes made here are lost. */\n${text}`;
const withoutVerb = (text: string) => text.replace(/^create view /i, '');

export const sqliteViews: ViewInstaller = {
  async columnsOf(db, name) {
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${name})`.execute(db);
    return new Set(rows.map((row) => row.name));
  },
  async existing(db, names) {
    const { rows } = await sql<{ name: string; sql: string | null }>`
      select lower(name) as name, sql from sqlite_master where lower(name) in (${sql.join(names)})`.execute(db);
    return new Map(
      rows.map(({ name, sql: text }) => {
        const mark = withoutVerb(text ?? '');
        return [name, { isOurs: mark.includes('/* Kept by Slotstream:'), mark }];
      }),
    );
  },
  markOf,
  async create(db, view) {
    await db.executeQuery(CompiledQuery.raw(`create view ${markOf(view)}`));
  },
  // Nothing depends on a view in SQLite: other views find it by its name.
  async replace(db, view) {
    await sql`drop view ${sql.id(view.name)}`.execute(db);
    await this.create(db, view);
    return undefined;
  },
};
