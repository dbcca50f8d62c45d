// What the pump does when its store has another log than the one it has read.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { eventIdOf } from '#src/feed/cloud-event.ts';
import { setPosition } from '#src/store/log/consumer-offsets.ts';
import { positionOf, type PumpInput } from '#workers/out/push/pump.ts';
import { carryOutRestart, requestRestart } from '#workers/out/push/restart.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { eventually } from '../../../harness/moments.ts';
import { contact, startPump } from '../../../harness/mirror/sink-pump.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { freshSqlite, ingest, receivedAt } from '../../../harness/stores.ts';

const later = '2025-04-14T12:30:00.000000Z';

describe('the pump', () => {
  const opened = openedAnew(freshSqlite);
  const sent: string[] = [];
  const input: PumpInput = {
    name: 'kept',
    open: async () => ({
      name: 'kept',
      keyOf: () => '',
      batch: 10,
      concurrency: 1,
      async send(entries) {
        sent.push(...entries.map(eventIdOf));
      },
      [Symbol.asyncDispose]: async () => {},
    }),
  };
  const receive = (numbers: readonly number[], at: string) =>
    ingest(
      { store: opened.store, screen: privacyScreen({ eraseOnDelete: true }) },
      { v: 1, deliveries: numbers.map((n) => ({ body: contact(n, at), receivedAt: at })) },
      at,
    );
  const idOf = (seq: number, at: string) => eventIdOf({ seq, receivedAt: at });
  const setTo = (position: number) =>
    opened.store.transaction((unit) =>
      setPosition(unit, { name: positionOf('kept'), position, updated_at: receivedAt }),
    );

  it('ends when a failover has made the log shorter, and the next one sends what has the same numbers (S2)', async () => {
    sent.length = 0;
    await using pumping = await startPump(opened.store, input);
    await receive([1, 2, 3, 4], receivedAt);
    await pumping.reaches(4);
    // The standby had neither the last two entries nor the offset after them.
    await sql`delete from ${sql.table('event_log')} where seq > 2`.execute(opened.store.db);
    await sql`update sqlite_sequence set seq = 2 where name = 'event_log'`.execute(opened.store.db).catch(() => {});
    await setTo(2);
    await receive([5, 6, 7], later);
    await pumping.ended;
    expect(await pumping.position()).toBe(2);
    expect(sent).toEqual([1, 2, 3, 4].map((seq) => idOf(seq, receivedAt)));
    await using next = await startPump(opened.store, input);
    await next.reaches(5);
    expect(sent.slice(4)).toEqual([3, 4, 5].map((seq) => idOf(seq, later)));
  });

  it('ends when a person lets the sink go on elsewhere, and the next one goes on there, once (S2)', async () => {
    sent.length = 0;
    await using pumping = await startPump(opened.store, input);
    await receive([1, 2, 3], receivedAt);
    await pumping.reaches(3);
    await requestRestart(opened.store, { position: positionOf('kept'), after: 1, settled: undefined });
    await pumping.ended;
    expect(await pumping.position()).toBe(3);
    await using next = await startPump(opened.store, input);
    await eventually(() => sent.slice(3)).toEqual([2, 3].map((seq) => idOf(seq, receivedAt)));
    await next.reaches(3);
    await carryOutRestart(opened.store, positionOf('kept'), Date.now());
    expect(await next.position()).toBe(3);
  });
});
