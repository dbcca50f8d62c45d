import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ChannelName } from '#workers/alerts/channels/channel.ts';
import { loadRules } from '#workers/alerts/rules/ruleset.ts';
import { bookingContext, inviteeUri, rowOf, type Booking } from '../../../harness/data/booking-context.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotstream-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'alerts.json');

function load(given: unknown, configured: readonly ChannelName[] = []) {
  writeFileSync(file, typeof given === 'string' ? given : JSON.stringify(given));
  return loadRules({ file, graceMs: 120_000, configured });
}

const mistakesIn = (given: unknown, configured: readonly ChannelName[] = []) =>
  load(given, configured).then(
    () => [],
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'config' });
      return (error as Error).message.split('\n').slice(1);
    },
  );

describe('the rules', () => {
  it('are the default ones without a file: no-shows and everything about the mirror itself', async () => {
    const { bookings, conditions } = await loadRules({ file: undefined, graceMs: 5, configured: [] });
    expect(bookings).toMatchObject([{ name: 'no_show', channels: ['log'], graceMs: 5 }]);
    const names = conditions.map(({ name }) => name);
    expect(names).toEqual(['subscription', 'quarantine', 'lag', 'drift', 'clock_skew', 'spool', 'journal', 'disk']);
  });

  it('use all configured channels when they name none, and each named channel once', async () => {
    const rules = [
      { name: 'a', when: 'no_show' },
      { name: 'b', when: 'no_show', channels: ['log', 'email', 'log'], grace: '0' },
    ];
    const { bookings } = await load({ rules }, ['slack', 'email']);
    expect(bookings).toMatchObject([
      { channels: ['slack', 'email'], graceMs: 120_000 },
      { channels: ['log', 'email'], graceMs: 0 },
    ]);
  });

  it('find nothing in bookings that do not match their filter', async () => {
    const rules = [
      { name: 'all', when: 'no_show' },
      { name: 'other', when: 'no_show', filter: { host: 'Another Host' } },
      { name: 'own', when: 'no_show', filter: { host: 'grace hopper', email_domain: 'example.test' } },
    ];
    const { bookings } = await load({ rules });
    const found = bookings.filter(({ find }) => find(bookingContext()).length > 0);
    expect(found.map(({ name }) => name)).toEqual(['all', 'own']);
  });

  it('find every fact about the booking of a VIP, not only the last one', async () => {
    const on = ['booked', 'canceled', 'no_show'];
    const { bookings } = await load({ rules: [{ name: 'key', when: 'vip', contact: { company: 'Engines' }, on }] });
    const factsOf = (booking: Booking) =>
      bookings.flatMap(({ find }) => find(bookingContext(booking))).map(({ fact }) => fact);
    const at = '2026-11-01T00:00:00.000000Z';
    const contact = { row: rowOf('contacts', { company: 'engines' }), fields: new Map() };
    const invitee = { created_at: at };
    const booked = { kind: 'booked', inviteeUri };
    const marked = { kind: 'no_show', noShowUri: 'https://api.example.test/invitee_no_shows/N1' };
    expect(factsOf({ invitee, known: { contact } })).toEqual([booked, marked]);
    expect(factsOf({ invitee, known: { contact, marks: [] } })).toEqual([booked]);
    const canceled = { ...invitee, status: 'canceled', canceled_at: at };
    expect(factsOf({ invitee: canceled, known: { contact, marks: [] } })).toEqual([{ kind: 'canceled', at }]);
    expect(factsOf({ invitee })).toEqual([]);
  });

  it('are rejected with every mistake at once, each with its path', async () => {
    const rules = [
      { name: 'A b', when: 'no_show', quiet_hours: { from: '25:00', to: '06:00' } },
      { name: 'x', when: 'nothing' },
      { name: 'x', when: 'late_cancel', hours: -1, channels: ['slack', 'log'], template: '{{ unknown_name }}' },
      { when: 'vip', unknown: true },
      5,
    ];
    const places = (await mistakesIn({ rules, more: 1 })).map((line) => line.split(': ')[0]);
    expect(places.toSorted()).toEqual([
      'The file',
      'rules.0.name',
      'rules.0.quiet_hours.from',
      'rules.1.when',
      'rules.2.channels',
      'rules.2.hours',
      'rules.2.name',
      'rules.2.template',
      'rules.3',
      'rules.3.contact',
      'rules.3.name',
      'rules.4',
    ]);
  });

  it.each([
    ['no JSON', '{"rules": [', /^It is not JSON/],
    ['no object', '[]', /^The file: /],
    ['nothing', '', /^It is not JSON/],
  ])('are rejected when the file holds %s', async (_what, text, mistake) => {
    expect(await mistakesIn(text)).toEqual([expect.stringMatching(mistake)]);
  });

  it('are rejected when the file does not exist', async () => {
    const missing = loadRules({ file: join(folder, 'missing.json'), graceMs: 0, configured: [] });
    await expect(missing).rejects.toMatchObject({ code: 'config', message: 'ALERTS_FILE:\nThe file cannot be read.' });
  });

  it('send to the hosts whose address is known, with their Slack users', async () => {
    const rules = [
      { name: 'own', when: 'no_show', to_host: true },
      { name: 'all', when: 'no_show' },
    ];
    const { bookings } = await load({ slack_users: { 'Grace@example.test': 'U012AB3CD' }, rules }, ['slack']);
    const hosts = [
      { user_name: 'Grace', user_email: 'grace@example.test' },
      { user_name: 'Grace again', user_email: 'grace@example.test' },
      { user_name: 'Alan', user_email: 'alan@example.test' },
      { user_name: 'Eve', user_email: 'eve@example.test, all@example.test' },
      { user_name: 'No address' },
    ];
    expect(bookings.map(({ hostsOf }) => hostsOf?.(bookingContext({ event: { hosts } })))).toEqual([
      [
        { email: 'grace@example.test', slackUser: 'U012AB3CD' },
        { email: 'alan@example.test', slackUser: undefined },
      ],
      undefined,
    ]);
  });

  it('can send to hosts by e-mail or Slack only, one message per booking', async () => {
    const rules = [
      { name: 'a', when: 'no_show', to_host: true, digest: '1h' },
      { name: 'b', when: 'no_show', to_host: true, channels: ['log'] },
      { name: 'c', when: 'no_show', to_host: true },
      { name: 'd', when: 'lag', to_host: true },
    ];
    expect(
      await mistakesIn({ rules, slack_users: { Grace: 'U012AB3CD', 'a@example.test': '@grace' } }, ['teams']),
    ).toEqual([
      'slack_users.a@example.test: the id of a Slack user, such as U012AB3CD',
      "slack_users.Grace: not a host's e-mail address",
      expect.stringMatching(/^rules\.3: .*to_host/),
      'rules.0.to_host: cannot be combined with digest',
      'rules.1.to_host: needs the channel email or slack',
      'rules.2.to_host: needs the channel email or slack',
      'rules.3.to_host: needs the channel email or slack',
    ]);
  });

  it('name the settings of a channel that is not configured', async () => {
    const rules = [{ name: 'a', when: 'no_show', channels: ['webhook'] }];
    expect(await mistakesIn({ rules })).toEqual([
      'rules.0.channels: webhook is not configured (ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET)',
    ]);
  });
});
