import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ChannelName } from '#workers/alerts/channels/channel-name.ts';
import { loadRules } from '#workers/alerts/rules/ruleset.ts';
import { caseOf, inviteeUri, rowOf, type Booking } from '../../../harness/alerts.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotstream-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'alerts.json');

function load(given: unknown, configured: readonly ChannelName[] = []) {
  writeFileSync(file, typeof given === 'string' ? given : JSON.stringify(given));
  return loadRules({ file, graceMs: 120_000, configured });
}

const complaintsOf = (given: unknown, configured: readonly ChannelName[] = []) =>
  load(given, configured).then(
    () => [],
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'config' });
      return (error as Error).message.split('\n').slice(1);
    },
  );

describe('the rules', () => {
  it('are the usual ones without a file: no-shows, and all that concerns the mirror itself', async () => {
    const { bookings, conditions } = await loadRules({ file: undefined, graceMs: 5, configured: [] });
    expect(bookings).toMatchObject([{ name: 'no_show', channels: ['log'], graceMs: 5 }]);
    const names = conditions.map(({ name }) => name);
    expect(names).toEqual(['subscription', 'quarantine', 'lag', 'drift', 'clock_skew', 'spool']);
  });

  it('go to all channels that are configured, where they do not say, and to each of those they name once', async () => {
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

  it('find nothing in bookings that their filter is not about', async () => {
    const rules = [
      { name: 'all', when: 'no_show' },
      { name: 'other', when: 'no_show', filter: { host: 'Somebody Else' } },
      { name: 'own', when: 'no_show', filter: { host: 'grace hopper', email_domain: 'example.test' } },
    ];
    const { bookings } = await load({ rules });
    const found = bookings.filter(({ find }) => find(caseOf()).length > 0);
    expect(found.map(({ name }) => name)).toEqual(['all', 'own']);
  });

  it('find all that somebody who matters did with a booking, not only the last', async () => {
    const on = ['booked', 'canceled', 'no_show'];
    const { bookings } = await load({ rules: [{ name: 'key', when: 'vip', contact: { company: 'Engines' }, on }] });
    const factsOf = (booking: Booking) => bookings.flatMap(({ find }) => find(caseOf(booking))).map(({ fact }) => fact);
    const at = '2026-11-01T00:00:00.000000Z';
    const contact = { row: rowOf('contacts', { company: 'engines' }), fields: new Map() };
    const invitee = { created_at: at };
    const [booked, marked] = [`booked ${inviteeUri}`, 'https://api.example.test/invitee_no_shows/N1'];
    expect(factsOf({ invitee, known: { contact } })).toEqual([booked, marked]);
    expect(factsOf({ invitee, known: { contact, marks: [] } })).toEqual([booked]);
    const canceled = { ...invitee, status: 'canceled', canceled_at: at };
    expect(factsOf({ invitee: canceled, known: { contact, marks: [] } })).toEqual([`canceled ${at}`]);
    expect(factsOf({ invitee })).toEqual([]);
  });

  it('are refused with every complaint at once, each with its place', async () => {
    const rules = [
      { name: 'A b', when: 'no_show', quiet_hours: { from: '25:00', to: '06:00' } },
      { name: 'x', when: 'nothing' },
      { name: 'x', when: 'late_cancel', hours: -1, channels: ['slack', 'log'], template: '{{ nobody }}' },
      { when: 'vip', unknown: true },
      5,
    ];
    const places = (await complaintsOf({ rules, more: 1 })).map((line) => line.split(': ')[0]);
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
  ])('are refused when the file holds %s', async (_what, text, complaint) => {
    expect(await complaintsOf(text)).toEqual([expect.stringMatching(complaint)]);
  });

  it('are refused when there is no such file, without its content being guessed', async () => {
    const missing = loadRules({ file: join(folder, 'missing.json'), graceMs: 0, configured: [] });
    await expect(missing).rejects.toMatchObject({ code: 'config', message: 'ALERTS_FILE:\nThe file cannot be read.' });
  });

  it('say which settings a channel needs that is not configured', async () => {
    const rules = [{ name: 'a', when: 'no_show', channels: ['webhook'] }];
    expect(await complaintsOf({ rules })).toEqual([
      'rules.0.channels: webhook is not configured (ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET)',
    ]);
  });
});
