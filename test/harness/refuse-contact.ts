// A store that refuses contacts of one name, as a rule that its owner put on the table would.
import { sql } from 'kysely';
import type { Store } from '#src/store/contract.ts';

/** Answers how to take the rule back. */
export async function refuseContact({ db, engine }: Store, name: string): Promise<() => Promise<unknown>> {
  if (engine.name === 'postgres') {
    await sql`alter table contacts add constraint no_poison check (name <> ${sql.lit(name)})`.execute(db);
    return () => sql`alter table contacts drop constraint no_poison`.execute(db);
  }
  await sql`create trigger no_poison before insert on contacts when new.name = ${sql.lit(name)}
    begin select raise(abort, 'refused'); end`.execute(db);
  return () => sql`drop trigger no_poison`.execute(db);
}
