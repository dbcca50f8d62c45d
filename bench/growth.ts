// What an event costs in a store of a million rows against one of ten thousand: it must not grow with the store.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openStore } from '#src/store/open-store.ts';
import { bodies } from './deliveries.ts';
import { median, type Measurement } from './measure.ts';
import { temporaryFolder } from './processes.ts';
import { ingestAll } from './project.ts';

const small = 10_000;
const large = 1_000_000;
const events = 4_000;
const rounds = 3;

export const growth: Measurement = {
  name: 'growth',
  about: `cost per event with ${large} rows against ${small}`,
  async run() {
    using smallFolder = temporaryFolder();
    using largeFolder = temporaryFolder();
    const [few, many] = [join(smallFolder.path, 'mirror.db'), join(largeFolder.path, 'mirror.db')];
    await fill(few, small);
    await fill(many, large);
    const costs = { few: [] as number[], many: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const story = bodies(events, 100 + round);
      costs.few.push((await ingestAll(`sqlite:${few}`, story)) / events);
      costs.many.push((await ingestAll(`sqlite:${many}`, story)) / events);
    }
    const [fewUs, manyUs] = [median(costs.few) * 1e6, median(costs.many) * 1e6];
    return [
      { name: 'growth.small_us', value: fewUs, unit: 'µs/event' },
      { name: 'growth.large_us', value: manyUs, unit: 'µs/event' },
      { name: 'growth.ratio', value: manyUs / fewUs, limit: ['<=', 1.3] },
    ];
  },
};

/** Half of the rows are contacts with their address, half are log entries; keys are as scattered as real ones. */
async function fill(path: string, rows: number): Promise<void> {
  await (await openStore({ report: () => {} }, `sqlite:${path}`)).close();
  const database = new Sqlite(path);
  database.pragma('synchronous = OFF');
  database.exec('begin');
  database.exec(`
    insert into contacts (uri, name, primary_email, company, created_at, updated_at, as_of, version, extra)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows / 2})
    select 'https://api.scheduling.test/contacts/' || lower(hex(randomblob(16))), 'Person ' || i, 'person' || i || '@example.test', 'Company',
      '2025-01-01T00:00:00.000000Z', '2025-01-01T00:00:00.000000Z', '2025-01-01T00:00:00.000000Z', '${'0'.repeat(75)}', '{"filler":"${'x'.repeat(400)}"}' from n`);
  database.exec(`
    insert into event_log (delivery_id, source, event, subject_uri, occurred_at, received_at, outcome, body, tie)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows / 2})
    select lower(hex(randomblob(32))), 'webhook', 'contact.created', 'https://api.scheduling.test/contacts/' || lower(hex(randomblob(16))),
      '2025-01-01T00:00:00.000000Z', '2025-01-01T00:00:00.000000Z', 'applied', '${'x'.repeat(400)}', '0000000000000000' from n`);
  database.exec('commit');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}
