// A person who was erased is on no page of the dashboard and in no answer behind it, on every store.
import { describe, expect, it } from 'vitest';
import { eventKinds, type EventKind } from '#schemas/events.ts';
import { instantOf } from '#src/base/time.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { eraseFrom } from '../../../harness/erasures.ts';
import { openDashboard } from '../../../harness/mirror/dashboard.ts';
import { findPages } from '../../../harness/mirror/every-page.ts';
import { testProcess } from '../../../harness/mirror/test-process.ts';
import { ingestBodies, oneEngine } from '../../../harness/stores.ts';

const email = 'perdita.planted@example.test';
const name = 'Perdita Planted';

/** Deliveries of every kind about another person, and then about this one; nothing is deleted. */
function bodiesAbout(now: Date): readonly string[] {
  const sample = createSampler(16);
  const kinds = Object.keys(eventKinds).filter((kind) => !/deleted$|^event_type/.test(kind)) as EventKind[];
  return [1, 0].flatMap((index) =>
    kinds.map((kind) => {
      const text = JSON.stringify(sample(kind, { index, now }));
      return index === 0 ? planted(text) : text;
    }),
  );
}

interface Naming {
  readonly name?: string;
  readonly email?: string;
  readonly emails?: readonly { readonly email: string }[];
  readonly attendees?: readonly { readonly user_name: string; readonly user_email: string; readonly host: boolean }[];
  readonly questions_and_answers?: readonly { readonly answer: string }[];
}

/** With the name and the address of the person instead of those it has: as a contact, an invitee, a participant, or in an answer. */
function planted(text: string): string {
  const { payload } = JSON.parse(text) as { readonly payload: Naming };
  const guest = payload.attendees?.find(({ host }) => !host);
  const own = { name: payload.name ?? guest?.user_name, email: payload.email ?? guest?.user_email };
  const address = own.email ?? payload.emails?.[0]?.email ?? payload.questions_and_answers?.[0]?.answer;
  const named = own.name === undefined ? text : text.replaceAll(`"${own.name}"`, `"${name}"`);
  return address === undefined ? named : named.replaceAll(`"${address}"`, `"${email}"`);
}

for (const engine of oneEngine)
  describe.runIf(engine.available)(`an erased person on ${engine.name}`, () => {
    it('is on no page', async () => {
      await using dashboard = await openDashboard(engine.fresh, { process: testProcess() });
      const now = new Date();
      await ingestBodies(dashboard.store, bodiesAbout(now));
      await dashboard.store.db.updateTable('event_log').set({ outcome: 'quarantined', reason: 'Then.' }).execute();
      await dashboard.post('/api/deliveries/replay', { outcome: 'quarantined' });
      /** The addresses of all pages, and of those that name the person. */
      async function walk() {
        const naming: string[] = [];
        const read = async (address: string) => {
          const { html } = await dashboard.page(address);
          if (/perdita/i.test(html)) naming.push(address);
          return html;
        };
        const { addresses } = await findPages(read, { perPage: 4 });
        return { addresses, naming, read };
      }
      const before = await walk();
      const naming = new Set(before.naming.map((address) => address.split(/[/?]/)[1]));
      const pages = ['', 'bookings', 'contacts', 'deliveries', 'people', 'recaps', 'routing', 'tables', 'why'];
      expect([...naming].toSorted()).toEqual(pages);
      await eraseFrom(dashboard.store, email, { now: instantOf(now) });
      const after = await walk();
      // A page shows the filter that its visitor gives.
      for (const address of before.addresses) if (!/perdita/i.test(address)) await after.read(address);
      expect(after.naming).toEqual([]);
      expect(dashboard.reported).toEqual([]);
    });
  });
