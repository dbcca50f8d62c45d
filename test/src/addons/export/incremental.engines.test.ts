// Incremental exports from each engine: where a run begins, when it takes everything, and what it does beside writers. For any
// history: formats.engines.test.ts.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ExportRequest } from '#src/addons/export/export.ts';
import { appendEntries } from '#src/store/log/append.ts';
import { listPositions } from '#src/store/log/consumer-offsets.ts';
import { blankEntry } from '#workers/fold/pipeline/parse.ts';
import { exportFolder, rowsIn } from '../../../harness/mirror/export-folder.ts';
import { openedOnce } from '../../../harness/opened.ts';
import {
  emptyTables,
  ingestBodies,
  ingestRead,
  receivedAt,
  rowsOf,
  availableEngines,
} from '../../../harness/stores.ts';

const contact = (n: number | string, payload: object = {}, event = 'contact.updated') =>
  JSON.stringify({
    event,
    created_at: '2025-04-14T11:43:10Z',
    payload: { uri: `https://api.example.test/contacts/${n}`, ...payload },
  });

describe.each(availableEngines)('incremental exports from $name', ({ fresh }) => {
  const folder = openedOnce(exportFolder);
  const opened = openedOnce(fresh);
  beforeEach(() => emptyTables(opened.store));

  const run = async (request: Partial<ExportRequest> = {}) => {
    const asked: ExportRequest = { name: 'contacts', format: 'ndjson', incremental: 'nightly', ...request };
    const { file, ...report } = await folder.write(opened.store, asked);
    const rows = await rowsIn({ file, format: 'ndjson' }, {});
    return { ...report, uris: rows.map((row) => String(row['uri']).replace(/.*\//, '')), file };
  };

  it('the first takes everything, the next what is new, one without news nothing', async () => {
    const { store } = opened;
    await ingestBodies(store, [contact(1), contact(2)]);
    expect(await run()).toMatchObject({ uris: ['1', '2'], whole: 'first_run' });
    await ingestBodies(store, [contact(2, { name: 'Bo' }), contact(3)]);
    expect(await run()).toMatchObject({ uris: ['2', '3'], rows: 2, fromSeq: expect.any(Number) });
    const { fromSeq, toSeq, rows } = await run();
    expect([rows, fromSeq]).toEqual([0, toSeq]);
    await ingestBodies(store, [contact(1, {}, 'contact.deleted')]);
    const { uris, file } = await run();
    expect(uris).toEqual(['1']);
    expect((await rowsIn({ file, format: 'ndjson' }, {}))[0]).toMatchObject({
      deleted_at: '2025-04-14T11:43:10.000000Z',
    });
  });

  it('every table and every name has a place of its own, and a failed run moves none', async () => {
    const { store } = opened;
    await ingestBodies(store, [contact(1, { emails: [{ email: 'ada@example.test' }] })]);
    await run();
    expect(await run({ name: 'contact_emails' })).toMatchObject({ rows: 1, whole: 'first_run' });
    expect(await run({ incremental: 'hourly' })).toMatchObject({ rows: 1, whole: 'first_run' });
    await expect(run({ name: 'event_log', columns: ['nothing'] })).rejects.toThrow('no column');
    expect((await listPositions(store)).map(({ name }) => name)).toEqual([
      'export:contact_emails:nightly',
      'export:contacts:hourly',
      'export:contacts:nightly',
    ]);
  });

  it('other columns begin again, in whatever order they are named', async () => {
    const { store } = opened;
    await ingestBodies(store, [contact(1), contact(2)]);
    await run({ columns: ['uri', 'name'] });
    await ingestBodies(store, [contact(2, { name: 'Bo' })]);
    expect(await run({ columns: ['uri', 'name', 'company'] })).toMatchObject({ uris: ['1', '2'], whole: 'first_run' });
    expect(await run()).toMatchObject({ uris: ['1', '2'], whole: 'first_run' });
    expect(await run({ columns: ['name', 'uri'] })).toMatchObject({ uris: ['2'], rows: 1 });
    expect(await run({ columns: ['uri', 'company', 'name'] })).toMatchObject({ rows: 0 });
  });

  it('all rows are written again after a person was erased, and when the log ends before the position', async () => {
    const { store } = opened;
    await ingestBodies(store, [contact(1), contact(2)]);
    await run();
    const id = { delivery_id: 'e', tie: 'e', received_at: receivedAt };
    const erasure = { ...blankEntry, ...id, source: 'operator', event: 'person.erased', outcome: 'applied' } as const;
    await store.transaction((unit) => appendEntries(unit, [erasure]));
    expect(await run()).toMatchObject({ uris: ['1', '2'], whole: 'far_reaching' });
    expect(await run()).toMatchObject({ uris: [] });
    await store.db.deleteFrom('event_log').execute();
    expect(await run()).toMatchObject({ uris: ['1', '2'], whole: 'log_restarted' });
  });

  it('contacts_wide is written again whole when its columns may have changed', async () => {
    const { store } = opened;
    await ingestBodies(store, [contact(1), contact(2)]);
    await run({ name: 'contacts_wide' });
    await ingestBodies(store, [contact(2, { name: 'Bo' })]);
    expect(await run({ name: 'contacts_wide' })).toMatchObject({ uris: ['2'] });
    const record = { uri: 'https://api.example.test/fields/1', label: 'Plan', field_type: 'text' };
    const read = { kind: 'custom_field_definition', record, observed: receivedAt } as const;
    await ingestRead(store, [read]);
    expect(await run({ name: 'contacts_wide' })).toMatchObject({ uris: ['1', '2'], whole: 'far_reaching' });
  });

  it('runs beside many writers miss nothing', async () => {
    const writers = await Promise.all([opened.openAnother(), opened.openAnother(), opened.openAnother()]);
    const names = new Map<string, unknown>();
    const places = new Set<unknown>();
    const takeIn = async () => {
      const { file } = await run();
      for (const row of await rowsIn({ file, format: 'ndjson' }, {})) names.set(String(row['uri']), row['name']);
      const log = await run({ name: 'event_log' });
      for (const row of await rowsIn({ file: log.file, format: 'ndjson' }, {})) places.add(row['seq']);
    };
    let writing = true;
    const written = Promise.all(
      writers.map(async (store, writer) => {
        for (let n = 0; n < 30; n += 1) {
          const updated_at = new Date(Date.UTC(2025, 3, 14, 0, 0, n, writer)).toISOString();
          await ingestBodies(store, [
            contact(`${writer}-${n}`, { name: 'new' }),
            contact(n % 7, { name: `${writer} ${n}`, updated_at }),
          ]);
        }
      }),
    ).then(() => (writing = false));
    while (writing) await takeIn();
    await written;
    await takeIn();
    const rows = await rowsOf(opened.store, 'contacts');
    expect(names).toEqual(new Map(rows.map(({ uri, name }) => [uri, name])));
    expect(places).toEqual(new Set((await rowsOf(opened.store, 'event_log')).map(({ seq }) => seq)));
  });
});
