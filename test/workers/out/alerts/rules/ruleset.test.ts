import { describe, expect, it } from 'vitest';
import type { ChannelName } from '#src/store/alerts/channel-names.ts';
import { loadRules } from '#workers/out/alerts/rules/ruleset.ts';
import { mistakesIn, rulesIn } from '../../../../harness/alerts/watched-rules.ts';
import { expectGolden } from '../../../../harness/golden.ts';
import { bookingContext } from '../../../../harness/data/booking-context.ts';

const load = (given: object, configured: readonly ChannelName[] = []) =>
  rulesIn(JSON.stringify(given), { configured, graceMs: 120_000 });

describe('the rules', () => {
  it('are the default ones without a file: no-shows and everything about the mirror itself', async () => {
    const { bookings, conditions } = await loadRules({ file: undefined, graceMs: 5, configured: [] });
    expect(bookings).toMatchObject([{ name: 'no_show', channels: ['log'], graceMs: 5 }]);
    const names = conditions.map(({ name }) => name);
    const mirror = ['subscription', 'quarantine', 'lag', 'drift', 'database', 'clock_skew', 'disk_log', 'disk'];
    expect(names).toEqual([...mirror, 'process', 'job', 'alerts']);
  });

  it('use all configured channels when they name none, and each named channel once', async () => {
    const rules = [
      { name: 'a', when: 'no_show' },
      { name: 'b', when: 'no_show', channels: ['log', 'email', 'log'], grace: '0' },
      { name: 'c', when: 'no_show', teams_url: 'https://teams.example.test/hook' },
    ];
    const { bookings } = await load({ rules }, ['slack', 'email']);
    expect(bookings).toMatchObject([
      { channels: ['slack', 'email'], graceMs: 120_000 },
      { channels: ['log', 'email'], graceMs: 0 },
      { channels: ['slack', 'email', 'teams'], addresses: [{ channel: 'teams' }] },
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
    const file = '/nowhere/missing.json';
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
    const user = 'https://api.example.test/users/U2';
    const hosts = [
      { user_name: 'Grace', user_email: 'grace@example.test' },
      { user_name: 'Grace again', user_email: 'grace@example.test' },
      { user, user_name: 'Alan', user_email: 'alan@example.test' },
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
    const onlyAlan = bookings[0]?.hostsOf?.(bookingContext({ event: { hosts } }), user);
    expect(onlyAlan).toEqual([{ email: 'alan@example.test', slackUser: undefined }]);
  });
});

const manyMistakes = [
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
const toHost = { when: 'no_show', to_host: true };
const toHosts = [
  { name: 'a', ...toHost, digest: '1h' },
  { name: 'b', ...toHost, channels: ['log'] },
  { name: 'c', ...toHost },
  { name: 'd', when: 'lag', to_host: true },
  { name: 'e', ...toHost, channels: 'email' },
];
const unknownKind = { name: 'a', when: 'no_shw', grace: 'soon', omit: ['phone'], template: ['{{ unknown_name }}'] };
const everyChannel = ['log', 'slack', 'teams', 'discord', 'pagerduty', 'ntfy', 'webhook', 'email'];

const secret = 'canary-of-the-sales-team';

/** The file, and the channels that are configured. */
const files: Readonly<Record<string, readonly [given: unknown, configured?: readonly ChannelName[]]>> = {
  'many mistakes': [{ rules: manyMistakes, more: 1 }],
  'an unknown kind': [{ rules: [unknownKind] }],
  'messages to hosts': [
    { rules: toHosts, slack_users: { Grace: 'U012AB3CD', 'a@example.test': '@U012', 'b@example.test': 'W012!' } },
    ['teams'],
  ],
  'messages to hosts without a channel for them': [{ rules: toHosts.slice(1, 3) }, ['email']],
  'own addresses': [
    {
      rules: [
        { name: 'scheme', when: 'no_show', slack_url: `ftp://${secret}` },
        { name: 'user', when: 'no_show', teams_url: `https://${secret}:x@example.test` },
        { name: 'unused', when: 'no_show', channels: ['webhook'], discord_url: `https://example.test/${secret}` },
        { name: 'fine', when: 'no_show', channels: ['slack'], slack_url: `https://example.test/${secret}` },
        { name: 'none', when: 'no_show', channels: ['slack'] },
      ],
    },
    ['webhook'],
  ],
  'channels that are not configured': [{ rules: [{ name: 'a', when: 'no_show', channels: everyChannel }] }, ['slack']],
};

describe('mistakes in the rules', () => {
  it('are all reported at once, by the name of the rule and in plain words', async () => {
    const parts = [];
    for (const [title, [given, configured = []]] of Object.entries(files))
      parts.push(
        [`${title}:`, ...(await mistakesIn(JSON.stringify(given), { configured })).map((line) => `    ${line}`)].join(
          '\n',
        ),
      );
    expect(parts.join()).not.toContain(secret);
    await expectGolden(parts.join('\n\n'), 'golden/mistakes.txt');
  });
});
