// Alerts about who came, from delivery to recipient: suspected no-shows, and the report to a host in the evening. The clock is the test's.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { eventually } from '../../../../harness/moments.ts';
import { catchUp, messagesOf, openAlertWorld, type AlertWorld } from '../../../../harness/alerts/alert-world.ts';
import { bookingRules } from '../../../../harness/alerts/watched-rules.ts';
import { dataOf, titleOf, typeOf } from '../../../../harness/alerts/alert-receivers.ts';
import { expectGolden, yamlOf } from '../../../../harness/golden.ts';
import { hostedMeeting, hostUri } from '../../../../harness/data/attended-meetings.ts';
import { runs } from '../../../../harness/runs.ts';
import {
  ingestRead,
  availableEngines,
  emptyTables,
  freshMemory,
  ingestBodies,
  oneEngine,
} from '../../../../harness/stores.ts';

const suspected = { name: 'alone', when: 'suspected_no_show', channels: ['webhook'], grace: '0' };
const unconfirmed = { name: 'evening', when: 'unconfirmed', channels: ['webhook'] };
const settings = { ADMIN_URL: 'https://slots.example.test' };

/** Profiles of hosts, with their time zones. */
const readHosts = (world: AlertWorld, zones: Readonly<Record<string, string>>) =>
  ingestRead(
    world.store,
    Object.entries(zones).map(([name, timezone]) => ({
      kind: 'user' as const,
      record: { uri: hostUri(name), name, timezone },
      observed: instantOf(world.nowMs()),
    })),
    instantOf(world.nowMs()),
  );

describe.each(oneEngine)('rules about attendance on $name', ({ fresh }) => {
  it('report a recap with hosts only, in any order, and retract it when the invitee is in it', async () => {
    const plan = { hosts: ['Grace'], end: '2026-03-04T09:00:00Z' };
    await using world = await openAlertWorld({ fresh, rules: [suspected] });
    const { webhook } = world.inbox;
    const [ada, ben] = [hostedMeeting({ name: 'Ada', ...plan }), hostedMeeting({ name: 'Ben', ...plan })];
    await world.deliver(ada.booked, ada.recapOfHost, ben.recapOfHost);
    await eventually(() => webhook.received.map(titleOf)).toEqual(['Suspected no-show: Ada']);
    await world.deliver(ben.booked);
    await eventually(() => webhook.received.length).toBe(2);
    expect((await world.alerts()).map(({ occurred_at: at }) => at)).toEqual([
      '2026-03-04T09:10:00.000000Z',
      '2026-03-04T09:10:00.000000Z',
    ]);
    await world.reaches('webhook', ['sent', 'sent']);
    await world.deliver(ada.recapOfBoth, ben.marked);
    await eventually(() =>
      webhook.received
        .slice(2)
        .map((one) => dataOf(one).text)
        .toSorted(),
    ).toEqual([
      'A recap names them: Ada is no longer suspected to have missed Demo.',
      'Ben is marked as a no-show for Demo: it is suspected no more.',
    ]);
    expect(webhook.received.slice(2).map(typeOf)).toEqual(['alert.retraction', 'alert.retraction']);
  });

  it('leave out erased people, and what is confirmed while the report waits', async () => {
    const quiet_hours = { from: '18:00', to: '20:00' };
    await using world = await openAlertWorld({
      fresh,
      rules: [{ ...unconfirmed, quiet_hours }],
      at: '2026-03-04T17:00:00Z',
    });
    const end = '2026-03-04T16:00:00Z';
    const [ada, ben, cleo] = ['Ada', 'Ben', 'Cleo'].map((name) =>
      hostedMeeting({ name, hosts: [name === 'Cleo' ? 'Rosa' : 'Grace'], end }),
    );
    await world.deliver(ada?.booked ?? '', ben?.booked ?? '', cleo?.booked ?? '');
    await world.pass('1h');
    expect(await world.states('webhook')).toEqual(['pending', 'pending']);
    await erase({ store: world.store, newKey: () => 'k'.repeat(64) }, targetOf('ada@example.test'), {
      now: instantOf(world.nowMs()),
    });
    await world.deliver(cleo?.recapOfHost ?? '', cleo?.recapOfBoth ?? '');
    await world.pass('2h');
    await eventually(() => world.inbox.webhook.received.map((one) => dataOf(one).subject_uris)).toEqual([
      [ben?.invitee],
    ]);
    // No user was read from the service: the meeting names its host.
    expect(world.inbox.webhook.received.map(titleOf)).toEqual(['Unconfirmed meetings: Grace, 1']);
    await world.reaches('webhook', ['retracted', 'sent']);
  });
});

describe.each(availableEngines)('the report to a host on $name', ({ fresh }) => {
  it('lists for each host in their evening what nothing is known about, once, after a restart too', async () => {
    await using world = await openAlertWorld({ fresh, rules: [unconfirmed], settings, at: '2026-03-04T08:00:00Z' });
    const { webhook } = world.inbox;
    await readHosts(world, { Grace: 'Europe/Berlin', Rosa: 'America/New_York' });
    const meeting = (name: string, hosts: readonly string[], end: string) => hostedMeeting({ name, hosts, end });
    const both = meeting('Ada', ['Grace', 'Rosa'], '2026-03-04T14:00:00Z');
    const marked = meeting('Ben', ['Grace'], '2026-03-04T12:00:00Z');
    const attended = meeting('Cleo', ['Grace'], '2026-03-04T11:00:00Z');
    const early = meeting('Dora', ['Grace'], '2026-03-04T10:00:00Z');
    const late = meeting('Emil', ['Grace'], '2026-03-04T17:30:00Z');
    await world.deliver(...[both, marked, attended, early, late].map(({ booked }) => booked));
    await world.pass('8h');
    await world.deliver(marked.marked, attended.recapOfHost, attended.recapOfBoth);
    await world.pass('55m');
    expect(await world.alerts()).toEqual([]);
    // 18:00 in Berlin.
    await world.pass('5m');
    // A jump of the clock would let the claim of a send expire.
    await world.reaches('webhook', ['sent']);
    // 18:00 in New York.
    await world.pass('6h');
    await world.reaches('webhook', ['sent', 'sent']);
    // Confirmed afterwards: a report is not retracted. The next evening has what ended since.
    await world.deliver(early.recapOfBoth, both.marked, both.unmarked);
    await world.pass('18h');
    await world.reaches('webhook', ['sent', 'sent', 'sent']);
    await world.pass('24h');
    expect(await world.alerts()).toHaveLength(3);
    await expectGolden(yamlOf(webhook.received.map(({ body }) => body)), 'golden/evenings.txt');
  });
});

describe('the report to a host', () => {
  it('goes to that host alone', async () => {
    const rules = [{ ...unconfirmed, channels: ['email'], to_host: true, at: '17:30', filter: { event_type: 'Demo' } }];
    await using world = await openAlertWorld({ rules, at: '2026-03-04T17:00:00Z' });
    const meeting = hostedMeeting({ name: 'Ada', hosts: ['Grace', 'Rosa'], end: '2026-03-04T16:00:00Z' });
    await world.deliver(meeting.booked);
    await world.pass('31m');
    await eventually(() => world.inbox.mailbox.mails.map(({ to }) => to).toSorted()).toEqual([
      ['grace@hosts.test'],
      ['rosa@hosts.test'],
    ]);
  });

  it('is the same whatever the order of what is known by the evening', async () => {
    const end = '2026-03-04T12:00:00Z';
    const meetings = ['Ada', 'Ben', 'Cleo'].map((name) => hostedMeeting({ name, hosts: ['Grace'], end }));
    const bodies = meetings.flatMap((one) => [one.booked, one.marked, one.unmarked, one.recapOfHost, one.recapOfBoth]);
    await using opened = await freshMemory();
    const { store } = opened;
    const rules = await bookingRules({ name: 'evening', when: 'unconfirmed' });
    const [rule] = rules;
    if (rule === undefined) throw new Error('there is a rule');
    const reported = async (known: readonly string[]) => {
      await emptyTables(store);
      const watchAt = (time: string) =>
        catchUp({ store, nowMs: () => Date.parse(time) }, { rules, maxAgeMs: 86_400_000 });
      await watchAt('2026-03-04T13:00:00Z');
      for (const body of known) {
        await ingestBodies(store, [body]);
        await watchAt('2026-03-04T13:00:00Z');
      }
      await watchAt('2026-03-04T19:00:00Z');
      const messages = await messagesOf(store, rule, { channel: 'log', nowMs: Date.parse('2026-03-04T19:00:00Z') });
      return messages.map(({ text }) => text);
    };
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(bodies, { minLength: 3 }), async (known) => {
        expect(await reported(known)).toEqual(await reported(bodies.filter((body) => known.includes(body))));
      }),
      runs(8),
    );
  });
});
