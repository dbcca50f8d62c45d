// The examples that ask the tables over HTTP, each as a stranger runs it: as a program of its own, against a mirror that runs.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import type { Store } from '#src/store/contract.ts';
import { delivery, ingestCountedBookings, uri } from '../../harness/data/counted-bookings.ts';
import { openHome } from '../../harness/product.ts';
import { ingestBodies } from '../../harness/stores.ts';

const examples = join(import.meta.dirname, '../../../docs/examples');
const run = promisify(execFile);

async function openMirror() {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await openHome());
  const store = stack.use(await openStore({ report: () => {} }, home.store));
  await ingestCountedBookings(store);
  const product = await home.open('start');
  const env = {
    ...process.env,
    SLOTSTREAM_URL: (await product.admin('/healthz')).url.replace(/\/healthz$/, ''),
    SLOTSTREAM_TOKEN: home.settings['ADMIN_TOKEN'] ?? '',
  };
  const kept = stack.move();
  return {
    store,
    folder: home.dataDir,
    program: (command: string, script: string, ...args: readonly string[]) =>
      run(command, [join(examples, script), ...args], { env }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const book = (id: string, at: string, start: string, more: object = {}): string =>
  delivery('invitee.created', at, {
    uri: uri('invitees', id),
    email: `${id}@example.test`,
    name: `Guest ${id}`,
    status: 'active',
    created_at: at,
    updated_at: at,
    event: uri('events', id),
    scheduled_event: {
      uri: uri('events', id),
      status: 'active',
      start_time: start,
      end_time: start,
      event_memberships: [],
    },
    ...more,
  });

describe.runIf(inject('pythonPath') !== '')('the examples in Python', () => {
  const python = inject('pythonPath');

  it('print the no-shows of a month by host', async () => {
    await using mirror = await openMirror();
    const { stdout } = await mirror.program(python, 'no_shows_by_host.py', '2025-01');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(lines).toEqual([
      ['Host', 'Meetings', 'No-shows', 'Share'],
      ['Ada', '2', '0', '0%'],
      ['Host ben', '1', '1', '100%'],
    ]);
    const lastMonth = await mirror.program(python, 'no_shows_by_host.py');
    expect(lastMonth.stdout.trimEnd().split('\n')).toHaveLength(1);
    await expect(mirror.program(python, 'no_shows_by_host.py', 'last')).rejects.toThrow('Write the month as 2026-11.');
  });

  it('keep a spreadsheet of bookings, in which each is one line and columns of other people stay', async () => {
    await using mirror = await openMirror();
    const path = join(mirror.folder, 'bookings.csv');
    const update = async () => (await mirror.program(python, 'bookings_to_spreadsheet.py', path)).stdout.trimEnd();
    const lines = () => readFileSync(path, 'utf8').replace('\uFEFF', '').trimEnd().split('\r\n');
    const count = await bookingsIn(mirror.store);
    expect(await update()).toBe(`Bookings: ${count}. Added: ${count}. Changed: 0.`);
    expect(lines()).toHaveLength(1 + count);
    expect(lines()[0]).toBe('uri,made_at,start_time,outcome,event_type_name,host_name,invitee_name,invitee_email');

    // A person adds a column; then one meeting is missed, one is booked, and more are booked than a page has.
    writeFileSync(
      path,
      lines()
        .map((line, index) => `${line},${index === 0 ? 'note' : `note ${index}`}\r\n`)
        .join(''),
    );
    const now = Date.now();
    const hour = (hours: number): string => new Date(now + hours * 3_600_000).toISOString();
    const many = Array.from({ length: 1_200 }, (_, index) => book(`n${index}`, hour(-40), hour(24 + index)));
    await ingestBodies(mirror.store, [...many, book('late', hour(-50), hour(-20), { name: '=1+1' })]);
    expect(await update()).toBe(`Bookings: ${count + 1_201}. Added: 1201. Changed: 0.`);
    const mark = { uri: uri('no_shows', 'late'), created_at: hour(-1) };
    await ingestBodies(mirror.store, [
      book('late', hour(-50), hour(-20), { name: '=1+1', no_show: mark, updated_at: hour(-1) }),
    ]);
    expect(await update()).toBe(`Bookings: ${count + 1_201}. Added: 0. Changed: 1.`);
    expect(await update()).toBe(`Bookings: ${count + 1_201}. Added: 0. Changed: 0.`);

    const missed = lines().find((line) => line.startsWith(uri('invitees', 'late'))) ?? '';
    expect(missed).toContain(',no_show,');
    expect(missed).toContain("'=1+1");
    expect(lines()[1]).toMatch(/,note 1$/);
    expect(new Set(lines().map((line) => line.split(',')[0])).size).toBe(count + 1_202);
  });
});

it('the example in TypeScript reports outcomes, payments and whom to write to', async () => {
  await using mirror = await openMirror();
  const { stdout } = await mirror.program(process.execPath, 'typescript/report.ts', '2025-01-01', '2025-02-01');
  expect(stdout.trimEnd().split('\n')).toEqual([
    'Bookings from 2025-01-01 until 2025-02-01: 8',
    '  unknown: 2',
    '  canceled: 1',
    '  canceled_by_host: 1',
    '  canceled_by_invitee: 1',
    '  late_cancellation: 1',
    '  moved: 1',
    '  no_show: 1',
    'Paid: 20 EUR',
    '2025-01-07 Guest B <B@example.test>: no_show',
    '2025-01-08 Guest C <C@example.test>: late_cancellation',
  ]);
  const refused = mirror.program(process.execPath, 'typescript/report.ts', 'January', '2025-02-01');
  await expect(refused).rejects.toThrow('the mirror answered 400: start_time: expected a time');
});

const bookingsIn = async (store: Store): Promise<number> =>
  (await store.db.selectFrom('invitees').select(['uri']).where('old_invitee', 'is', null).execute()).length;
