// A mirror behind a PgBouncer as it is installed: in transaction mode, refusing options in the start-up message.
import { expect, inject, it } from 'vitest';
import { hasPgBouncer, startPgBouncer } from '../../../harness/pgbouncer.ts';
import { until } from '../../../harness/ports.ts';
import { createDatabase } from '../../../harness/postgres.ts';
import { openHome } from '../../../harness/product.ts';
import { ask } from '../../../oracle/deliveries.ts';

const isThere = inject('postgresUrl') !== '' && (await hasPgBouncer());

it.runIf(isThere).each(['', 'options'])(
  'works through PgBouncer, which ignores "%s" at connect, in a schema of its own',
  async (ignored) => {
    const url = await createDatabase(inject('postgresUrl'));
    await using pooler = await startPgBouncer(Number(new URL(url).port), { ignored });
    for (const DATABASE_SCHEMA of ['slotstream', 'mirror']) {
      await using home = await openHome({ DATABASE_URL: pooler.through(url), DATABASE_SCHEMA });
      const { output } = await home.open('start');
      expect(output()).toContain(`made a new, empty mirror in the schema ${DATABASE_SCHEMA}`);
      expect((await home.run(['trigger', 'contact.created'])).code).toBe(0);
      const rows = () => ask(url, `select name from ${DATABASE_SCHEMA}.contacts_wide`);
      await until(async () => (await rows()).length === 1, 'the delivery is a row of the view');
      expect((await home.run(['export', 'contacts_wide', '--out', '-'])).out).toContain('uri');
      expect((await home.run(['doctor'])).out).toMatch(/✓ store: postgres answers/);
    }
    const ours = `select relname from pg_class where relnamespace = 'public'::regnamespace`;
    expect(await ask(url, ours)).toEqual([]);
  },
);
