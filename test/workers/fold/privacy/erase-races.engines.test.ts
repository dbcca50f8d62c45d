// Erasing while others write: a person in a batch that is being folded does not come back.
import { describe, expect, inject, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { eraseFrom, everythingIn } from '../../../harness/erasures.ts';
import { freshPostgres, ingestBodies } from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const now = '2026-01-01T00:00:00.000000Z';
const screen = privacyScreen({ eraseOnDelete: true });
const address = 'canary.person@example.test';
const eraseIn = (store: Store) => eraseFrom(store, address, { now });

const isTheirs = (n: number) => n % 3 === 0;
const emailOf = (n: number) => (isTheirs(n) ? address : `other${n % 7}@example.test`);

function invitee(n: number, version: number): object {
  const event = `${base}/scheduled_events/${n % 10}`;
  return {
    uri: `${event}/invitees/${n}`,
    event,
    email: emailOf(n),
    name: `name-${isTheirs(n) ? 'canary' : 'other'}-${n}`,
    updated_at: `2025-04-14T11:00:${10 + version}Z`,
    scheduled_event: { uri: event, name: 'Intake', event_guests: [{ email: emailOf(version) }] },
  };
}

const deliveryBody = (n: number, version: number) =>
  JSON.stringify({
    event: 'invitee.created',
    created_at: `2025-04-14T11:30:${10 + version}Z`,
    payload: invitee(n, version),
  });

const subjects = Array.from({ length: 30 }, (_, n) => n);

describe.runIf(inject('postgresUrl') !== '')('an erasure among many writers on PostgreSQL', () => {
  it('holds for every batch that was read before it and is committed after it, and for a rebuild and a replay that are under way', async () => {
    await using opened = await freshPostgres();
    const { store } = opened;
    await ingestBodies(
      store,
      subjects.map((n) => deliveryBody(n, 0)),
    );
    const writers = await Promise.all([1, 2, 3, 4].map(() => opened.openAnother()));
    let erased = false;
    const writing = writers.map(async (writer, lane) => {
      // Until well after the erasure, so that batches lie on both sides of it and across it.
      for (let round = 1, after = 0; after < 4; round += 1) {
        const some = subjects.filter((n) => n % 4 === (lane + round) % 4);
        await ingestBodies(
          writer,
          some.map((n) => deliveryBody(n, (round % 40) + lane)),
        );
        const records = some.map((n) => ({
          kind: 'invitee' as const,
          record: invitee(n, round % 40) as never,
          observed: now,
        }));
        await ingestRecords({ store: writer, screen }, records, { source: 'reconcile', now });
        if (erased) after += 1;
      }
    });
    const mending = (async () => {
      const own = await opened.openAnother();
      while (!erased) {
        await rebuild({ store: own, screen });
        await replay({ store: own, screen }, {});
      }
    })();
    const eraser = await opened.openAnother();
    await eraseIn(eraser);
    erased = true;
    await Promise.all([...writing, mending]);

    const text = await everythingIn(store);
    expect(text.includes(address)).toBe(false);
    expect(text.includes('name-canary')).toBe(false);
    expect(text.includes('name-other')).toBe(true);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  });
});
