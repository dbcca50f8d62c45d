import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ChannelName } from '#src/store/alerts/channel-names.ts';
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
    const mirror = ['subscription', 'quarantine', 'lag', 'drift', 'clock_skew', 'disk_log', 'disk'];
    expect(names).toEqual([...mirror, 'process', 'job', 'alerts']);
  });

  it('say what they are about, and which of them wait for a time', async () => {
    const rules = [
      { name: 'a', when: 'no_show' },
      { name: 'b', when: 'form_without_booking', within: '1h' },
      { name: 'c', when: 'drift' },
    ];
    const { byName } = await load({ rules });
    expect(byName.get('a')).toMatchObject({ on: 'booking', isTimed: false, isReport: false });
    expect(byName.get('b')).toMatchObject({ on: 'submission', isTimed: true, isReport: false, graceMs: 0 });
    expect(byName.get('c')).toMatchObject({ on: 'condition' });
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

  it('are rejected with every mistake at once, by the name of the rule and in plain words', async () => {
    const rules = [
      { name: 'A b', when: 'no_show', quiet_hours: { from: '25:00', to: '06:00', zone: 'UTC' }, omit: 'email' },
      { name: 'x', when: 'nothing', chanels: ['log'], channels: [], grace: '1h', digest: 5 },
      {
        name: 'x',
        when: 'late_cancel',
        hours: -1,
        channels: ['slack', 'log'],
        template: '{{ unknown_name }}',
        retraction_template: '{{',
      },
      { when: 'vip', contakt: { Tier: 'gold' }, on: ['boked'] },
      5,
      {
        name: 'many',
        when: 'repeat_no_show',
        times: '3',
        within: '90',
        filter: { host: { a: 1 }, contact: { a: null } },
      },
      { name: 'more', when: 'no_show_spike', above: 1.5, of_at_least: 1.5, template: 'x'.repeat(5_000) },
      {
        name: 'lead',
        when: 'form_without_booking',
        whithin: '5m',
        omit: ['host'],
        filter: { answers: [], event_type: 'x' },
      },
      { name: 'eve', when: 'unconfirmed', at: '25:00', digest: '1h', grace: '5m' },
      { name: 'key', when: 'vip', contact: {}, quiet_hours: { from: '10:00', to: '10:00', timezone: 'Mars' } },
    ];
    expect(await mistakesIn({ rules, more: 1 })).toEqual([
      'rules.4: must be an object',
      'more: is not a known field',
      'rules.0 (A b): name must be lower-case letters, digits, - and _',
      'rules.0 (A b): quiet_hours.from must be a time of day such as 22:00',
      'rules.0 (A b): quiet_hours.zone is not a known field',
      'rules.0 (A b): omit must be a list',
      expect.stringMatching(/^rules\.1 \(x\): when must be one of no_show, repeat_no_show, /),
      'rules.1 (x): channels must not be empty',
      'rules.1 (x): digest must be a duration such as 1h, or a time of day such as {"at": "08:00", "timezone": "Europe/Berlin"}',
      'rules.1 (x): chanels is not a known field; did you mean channels?',
      'rules.2 (x): hours must be more than 0',
      'rules.3: name is missing',
      'rules.3: contact is missing',
      'rules.3: on.0 must be one of booked, canceled, no_show',
      'rules.3: contakt is not a known field; did you mean contact?',
      'rules.5 (many): filter.host must be one value or a list of values, which are texts, numbers, true or false',
      'rules.5 (many): filter.contact.a must be one value or a list of values, which are texts, numbers, true or false',
      'rules.5 (many): times must be a number',
      'rules.5 (many): within must be a duration such as 30s, 5m, 1h or 1d',
      'rules.6 (more): template must be at most 4000 characters long',
      'rules.6 (more): above must be at most 1',
      'rules.6 (more): of_at_least must be a whole number',
      'rules.7 (lead): filter.answers must be an object',
      'rules.7 (lead): filter.event_type is not a known field',
      'rules.7 (lead): omit.0 must be one of who, email, form, answers, utm, when, link',
      'rules.7 (lead): whithin is not a known field; did you mean within?',
      'rules.8 (eve): at must be a time of day such as 22:00',
      'rules.8 (eve): digest is not a known field',
      'rules.8 (eve): grace is not a known field',
      'rules.9 (key): quiet_hours.timezone must be an IANA time zone such as Europe/Berlin',
      'rules.9 (key): quiet_hours must have two different times',
      'rules.9 (key): contact must have at least one field',
      'rules.2 (x): name is the name of another rule too',
      'rules.2 (x): channels has slack, which is not configured (ALERT_SLACK_URL)',
      'rules.2 (x): template is wrong: unknown variable unknown_name',
      expect.stringMatching(/^rules\.2 \(x\): retraction_template is wrong: ./),
    ]);
  });

  it('of an unknown kind have their other mistakes reported too', async () => {
    const rules = [{ name: 'a', when: 'no_shw', grace: 'soon', omit: ['phone'], template: ['{{ unknown_name }}'] }];
    expect(await mistakesIn({ rules })).toEqual([
      expect.stringMatching(/^rules\.0 \(a\): when must be one of no_show, /),
      'rules.0 (a): template must be a text',
      expect.stringMatching(/^rules\.0 \(a\): grace must be a duration /),
      expect.stringMatching(/^rules\.0 \(a\): omit\.0 must be one of who, /),
    ]);
  });

  it.each([
    ['no JSON', '{"rules": [', /^It is not JSON\. Line 1, column 12: it ends too early/],
    ['no JSON on several lines', '[\nx]', /^It is not JSON\. Line 2, column 1: unexpected "x"/],
    ['no object', '[]', /^The file: /],
    ['nothing', '', /^It is not JSON/],
  ])('are rejected when the file holds %s', async (_what, text, mistake) => {
    expect(await mistakesIn(text)).toEqual([expect.stringMatching(mistake)]);
  });

  it('are rejected when the file does not exist', async () => {
    const file = join(folder, 'missing.json');
    const message = `ALERTS_FILE (${file}):\nThe file cannot be read (ENOENT).`;
    await expect(loadRules({ file, graceMs: 0, configured: [] })).rejects.toMatchObject({
      code: 'config',
      message,
      hint: 'Correct the file; docs/alerts.md describes it.',
    });
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
    const second = 'https://api.example.test/users/U2';
    const both = [
      { user: 'https://api.example.test/users/U1', user_email: 'grace@example.test' },
      { user: second, user_email: 'alan@example.test' },
    ];
    const onlySecond = bookings[0]?.hostsOf?.(bookingContext({ event: { hosts: both } }), second);
    expect(onlySecond).toEqual([{ email: 'alan@example.test', slackUser: undefined }]);
  });

  it('can send to hosts by e-mail or Slack only, one message per booking', async () => {
    const rules = [
      { name: 'a', when: 'no_show', to_host: true, digest: '1h' },
      { name: 'b', when: 'no_show', to_host: true, channels: ['log'] },
      { name: 'c', when: 'no_show', to_host: true },
      { name: 'd', when: 'lag', to_host: true },
      { name: 'e', when: 'no_show', to_host: true, channels: 'email' },
    ];
    expect(
      await mistakesIn(
        { rules, slack_users: { Grace: 'U012AB3CD', 'a@example.test': '@U012', 'b@example.test': 'W012!' } },
        ['teams'],
      ),
    ).toEqual([
      'slack_users.a@example.test: must be the id of a Slack user, such as U012AB3CD',
      'slack_users.b@example.test: must be the id of a Slack user, such as U012AB3CD',
      "slack_users.Grace: not a host's e-mail address",
      'rules.3 (d): to_host is not a known field',
      'rules.4 (e): channels must be a list',
      'rules.0 (a): to_host cannot be combined with digest',
      'rules.0 (a): to_host needs the channel email or slack',
      'rules.1 (b): to_host needs the channel email or slack',
      'rules.2 (c): to_host needs the channel email or slack',
      'rules.3 (d): to_host needs the channel email or slack',
      'rules.4 (e): to_host needs the channel email or slack',
    ]);
    expect(await mistakesIn({ rules: rules.slice(1, 2) }, ['email'])).toEqual([
      'rules.0 (b): to_host needs the channel email or slack',
    ]);
    const reached = rules.slice(1, 3).map((rule) => ({ ...rule, channels: ['log', 'email'] }));
    expect(await mistakesIn({ rules: reached, slack_users: { 'a@example.test': 'W01' } }, ['email'])).toEqual([]);
  });

  it('name the settings of each channel that is not configured', async () => {
    const channels = ['log', 'slack', 'teams', 'discord', 'pagerduty', 'ntfy', 'webhook', 'email'];
    const mistakes = await mistakesIn({ rules: [{ name: 'a', when: 'no_show', channels }] }, ['slack']);
    expect(mistakes.map((text) => /has (.*)$/.exec(text)?.[1])).toEqual([
      'teams, which is not configured (ALERT_TEAMS_URL)',
      'discord, which is not configured (ALERT_DISCORD_URL)',
      'pagerduty, which is not configured (ALERT_PAGERDUTY_KEY)',
      'ntfy, which is not configured (ALERT_NTFY_URL)',
      'webhook, which is not configured (ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET)',
      'email, which is not configured (ALERT_SMTP_URL and ALERT_EMAIL_TO)',
    ]);
  });
});
