// Reconcile against the sandbox: what it finds, what it leaves alone, and what it does about it.
import { describe, expect, it } from 'vitest';
import { createLiveActivity } from '#src/sandbox/live.ts';
import { deleteContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { totalOf } from '#src/store/jobs/drift-counts.ts';
import { readReconcileState } from '#src/store/jobs/reconcile-state.ts';
import { mirrorDifferences } from '../../../harness/mirror/mirror-comparison.ts';
import { allKinds, openTestReconcile, type TestReconcile } from '../../../harness/mirror/test-reconcile.ts';
import { inForms } from '../../../harness/sandbox.ts';
import { openSubscriber } from '../../../harness/sandbox/subscriber.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { availableEngines, ingestBodies, projectedRows, rowsOf, storeEngines } from '../../../harness/stores.ts';

/** More contacts than a page has. */
const world = { contacts: 110, bookings: 10 };

/** The sandbox continues by itself, and no webhook is delivered. */
function book({ sandbox }: TestReconcile) {
  const found = sandbox.service.state.contacts.get(sandbox.handles.organization);
  if (found === undefined) throw new Error('The organization has no address book.');
  return found;
}

const contactsOf = (world: TestReconcile) => [...book(world).values()];

async function rowOf({ store }: TestReconcile, uri: string): Promise<StoredRow> {
  return (await rowsOf(store, 'contacts')).find((row) => row['uri'] === uri) ?? {};
}

const dayMs = 86_400_000;
const isWithinWeeks = (at: string): boolean => {
  const aheadMs = Date.parse(at) - Date.now();
  return aheadMs > -6 * dayMs && aheadMs < 29 * dayMs;
};

for (const { name, available, fresh, as } of inForms(storeEngines)) {
  // Each test leaves the mirror as the service is.
  describe.runIf(available)(`reconcile on ${name}, the service as ${as}`, { shuffle: false }, () => {
    const mirrored = openedOnce(() => openTestReconcile(fresh, { ...world, as }));

    it('looks without writing, then repairs just what it named, then finds nothing', async () => {
      const before = await projectedRows(mirrored.store);
      const looked = await mirrored.run();
      expect(totalOf(looked.report.drift)).toBeGreaterThan(100);
      expect(await projectedRows(mirrored.store)).toEqual(before);
      expect(await rowsOf(mirrored.store, 'event_log')).toEqual([]);

      // Refusals and failures of the service slow it down and do not stop it.
      await mirrored.sandbox.control('POST', '/faults', { rate_limit: 0.1, status: 0.1 });
      const repaired = await mirrored.run({ repair: true });
      await mirrored.sandbox.control('POST', '/faults', {});
      expect(repaired.lines).toEqual(looked.lines);
      expect(new Set(repaired.drift.map(({ how }) => how))).toEqual(new Set(['missing']));
      const sources = new Set((await rowsOf(mirrored.store, 'event_log')).map(({ source }) => source));
      expect(sources).toEqual(new Set(['reconcile']));

      expect((await mirrored.run()).lines).toEqual([]);
      expect((await mirrored.run({ scope: { kind: 'recent' } })).lines).toEqual([]);
    });

    it('names what differs by its fields, never by their values', async () => {
      const [first] = contactsOf(mirrored);
      if (first === undefined) throw new Error('no contact');
      updateContact(mirrored.sandbox.service, first, { company: 'Secretive Ltd', city: 'Tallinn' });

      const looked = await mirrored.run({ scope: { kind: 'recent' } });
      expect(looked.lines).toEqual([`different contact ${first.uri} city company updated_at`]);
      expect(JSON.stringify(looked)).not.toContain('Secretive');
      expect((await rowOf(mirrored, first.uri))['company']).not.toBe('Secretive Ltd');

      expect((await mirrored.run({ repair: true, scope: { kind: 'recent' } })).lines).toEqual(looked.lines);
      expect((await rowOf(mirrored, first.uri))['company']).toBe('Secretive Ltd');
    });

    it('finds what changed of a meeting without an event: its link, its hosts', async () => {
      // Two reads of one second with the same `updated_at` cannot be distinguished.
      await mirrored.sandbox.control('POST', '/clock', { advance: '2s' });
      const { scheduledEvents } = mirrored.sandbox.service.state;
      const meeting = [...scheduledEvents.values()].find(({ start_time: at }) => isWithinWeeks(at));
      if (meeting === undefined) throw new Error('no meeting in these weeks');
      const location = { ...meeting.location, join_url: 'https://meet.example.test/1' };
      const hosts = meeting.event_memberships.map((host) => ({ ...host, user_name: 'Another Host' }));
      scheduledEvents.put({ ...meeting, location, event_memberships: hosts });

      const { lines } = await mirrored.run({ repair: true, scope: { kind: 'recent' } });
      expect(lines).toEqual([`different scheduled_event ${meeting.uri} hosts join_url location`]);
    });

    it('stops reading contacts where the last complete run began', async () => {
      await mirrored.run({ repair: true });
      await mirrored.sandbox.control('POST', '/clock', { advance: '1h' });
      let pages = 0;
      const counting: typeof fetch = (input, init) => {
        pages += /\/contacts\?/.test(String(input)) ? 1 : 0;
        return mirrored.sandbox.fetch(input, init);
      };
      await mirrored.run({ scope: { kind: 'recent' }, fetch: counting });
      expect(pages).toBe(1);
    });

    it('buries what a complete listing does not show and its own URI denies', async () => {
      const gone = contactsOf(mirrored).slice(0, 3);
      for (const contact of gone) deleteContact(mirrored.sandbox.service, contact);

      const looked = await mirrored.run();
      expect(looked.lines).toEqual(gone.map(({ uri }) => `extra contact ${uri}`).toSorted());
      expect((await rowOf(mirrored, gone[0]?.uri ?? ''))['deleted_at']).toBeNull();
      expect((await mirrored.run({ scope: { kind: 'recent' } })).lines).toEqual([]);

      expect((await mirrored.run({ repair: true })).lines).toEqual(looked.lines);
      const row = await rowOf(mirrored, gone[0]?.uri ?? '');
      expect([row['deleted_source'], row['name']]).toEqual(['reconcile', null]);
      expect((await mirrored.run()).lines).toEqual([]);
    });

    it('deletes nothing when a listing breaks off, and finds it with the next whole one', async () => {
      const gone = contactsOf(mirrored).at(-1);
      if (gone === undefined) throw new Error('no contact');
      deleteContact(mirrored.sandbox.service, gone);
      const broken: typeof fetch = async (input, init) =>
        /contacts\?.*page_token/.test(String(input))
          ? Response.json({ title: 'Permission Denied', message: 'No more.' }, { status: 403 })
          : mirrored.sandbox.fetch(input, init);
      const { report, lines } = await mirrored.run({ repair: true, fetch: broken });
      expect(report.unreadable.map(({ what }) => what)).toEqual(['contacts']);
      expect(lines).toEqual([]);
      expect((await rowOf(mirrored, gone.uri))['deleted_at']).toBeNull();
      expect((await mirrored.run({ repair: true })).lines).toEqual([`extra contact ${gone.uri}`]);
    });

    it('deletes none when many are missing, reports how many, and deletes them when allowed', async () => {
      const all = contactsOf(mirrored);
      for (const contact of all.slice(0, 30)) deleteContact(mirrored.sandbox.service, contact);

      const { report } = await mirrored.run({ repair: true });
      expect(report.heldBack).toEqual([{ kind: 'contact', deleted: 21, of: all.length }]);
      expect(report.drift).toEqual({});
      expect((await readReconcileState(mirrored.store)).full?.held_back).toEqual({ contact: 21 });

      const allowed = await mirrored.run({ repair: true, allowDeletes: true });
      expect(allowed.report.drift).toEqual({ contact: { extra: 30 } });
    });

    it('makes the mirror whole again when deliveries were lost, late, twice and in another order, and names every row', async () => {
      const { sandbox, store } = mirrored;
      const { service, handles } = sandbox;
      const events = allKinds.filter((kind) => !kind.startsWith('meeting_recap.'));
      await using ear = await openSubscriber(sandbox, { events, scope: 'organization' });
      await sandbox.control('POST', '/clock', { advance: '2s' });
      const act = createLiveActivity({ service, organization: handles.organization, report: () => {} });
      for (let done = 0; done < 60; done += 1) act();
      const [gone] = contactsOf(mirrored);
      if (gone) deleteContact(service, gone);
      const bodies = (await ear.heard()).map((body) => JSON.stringify(body));
      const arriving = bodies.filter((_, index) => index % 3 > 0).toReversed();
      for (const body of [...arriving, ...arriving.slice(0, 9)]) await ingestBodies(store, [body]);
      // What is booked at once begins with the next minute, and dates of contacts change then.
      await sandbox.control('POST', '/clock', { advance: '2m' });

      const differences = () => mirrorDifferences(store, sandbox, { recapsOf: [handles.users.owner] });
      const before = await differences();
      expect(before.length).toBeGreaterThan(20);
      const looked = await mirrored.run();
      expect(await differences()).toEqual(before);
      const repaired = await mirrored.run({ repair: true });
      expect(repaired.lines).toEqual(looked.lines);
      expect(await differences()).toEqual([]);
      // A row of a list is named by its parent.
      const named = new Set(repaired.drift.map(({ uri }) => uri));
      expect(before.map((line) => line.split(' ')[1] ?? '').filter((uri) => !named.has(uri))).toEqual([]);
      expect((await mirrored.run()).lines).toEqual([]);
    });
  });
}

describe.each(availableEngines)('a meeting that the mirror knows only by name, on $name', ({ fresh }) => {
  it('is no difference where the service does not have it, and is missing where it has', async () => {
    await using mirrored = await openTestReconcile(fresh, { contacts: 1, bookings: 3 });
    const { sandbox, store } = mirrored;
    const { uri } = [...sandbox.service.state.scheduledEvents.values()][0] ?? {};
    const unknown = `${sandbox.handles.base_url}/scheduled_events/unknown`;
    const named = (event: string | undefined) =>
      JSON.stringify({
        event: 'invitee.created',
        created_at: '2025-04-14T11:43:10Z',
        payload: { uri: `${event}/invitees/late`, event },
      });
    await ingestBodies(store, [named(uri), named(unknown)]);
    const versions = async () =>
      new Map((await rowsOf(store, 'scheduled_events')).map(({ uri: of, version }) => [of, version !== null]));
    expect(await versions()).toEqual(
      new Map([
        [uri, false],
        [unknown, false],
      ]),
    );

    const { lines, report } = await mirrored.run({ repair: true });
    expect(lines).toContain(`missing scheduled_event ${uri}`);
    expect(lines.filter((line) => line.includes('unknown'))).toEqual([]);
    expect([report.heldBack, report.unreadable]).toEqual([[], []]);
    expect((await versions()).get(uri)).toBe(true);
    expect((await versions()).get(unknown)).toBe(false);

    expect((await mirrored.run({ repair: true })).lines).toEqual([]);
    expect((await versions()).get(unknown)).toBe(false);
  });
});
