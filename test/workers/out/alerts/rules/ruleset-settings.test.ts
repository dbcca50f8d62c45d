// What the rules file becomes: what each rule reads, its texts and its settings.
import { describe, expect, it } from 'vitest';
import { rulesIn } from '../../../../harness/alerts/watched-rules.ts';
import { bookingContext } from '../../../../harness/data/booking-context.ts';

describe('the rules', () => {
  it('know what they read, so that nothing else is loaded, and find nothing where their filter does not match', async () => {
    const kinds = {
      plain: { when: 'no_show' },
      type: { when: 'no_show', filter: { event_type: 'Call' } },
      host: { when: 'no_show', filter: { host: 'Grace Hopper' } },
      company: { when: 'no_show', filter: { contact: { company: ['Engines', 'Looms'] } } },
      vip: { when: 'vip', contact: { Tier: 'gold' } },
      repeat: { when: 'repeat_no_show' },
      evening: { when: 'unconfirmed' },
      late: { when: 'late_cancel' },
    };
    const rules = Object.entries(kinds).map(([name, kind]) => ({ name, ...kind }));
    const options = { graceMs: 5, reportZone: 'Europe/Berlin' };
    const { bookings, byName } = await rulesIn(JSON.stringify({ rules }), options);
    const reads = (rule: (typeof bookings)[number]) =>
      (['readsContact', 'readsMarks', 'readsAttendance'] as const).filter((key) => rule[key]).join(' ');
    expect(Object.fromEntries(bookings.map((rule) => [rule.name, reads(rule)]))).toEqual({
      plain: '',
      type: '',
      host: '',
      company: 'readsContact',
      vip: 'readsContact',
      repeat: 'readsMarks',
      evening: 'readsAttendance',
      late: '',
    });
    expect(bookings.map(({ contactFields }) => contactFields).filter((fields) => fields.length > 0)).toEqual([
      [{ field: 'company', values: ['Engines', 'Looms'] }],
      [{ field: 'Tier', values: ['gold'] }],
    ]);
    expect(byName.get('evening')).toMatchObject({ graceMs: 0, evening: { zone: 'Europe/Berlin' }, hostsOf: undefined });
    expect(byName.get('plain')).toMatchObject({ graceMs: 5, evening: undefined, omit: [] });
    expect([...byName.keys()]).toEqual(Object.keys(kinds));
    const { booking } = bookingContext();
    const marked = booking && ({ ...booking, outcome: 'no_show', attendance: 'no_show' } as const);
    const missed = bookingContext({ known: { booking: marked } });
    const found = bookings.filter(({ find }) => find(missed).length > 0);
    expect(found.map(({ name }) => name)).toEqual(['plain', 'host']);
  });

  it('have the texts of their kind and the settings of the file', async () => {
    const own = { digest: '1h', template: 'A', retraction_template: 'B', quiet_hours: { from: '22:00', to: '06:00' } };
    const rules = [
      { name: 'a', when: 'no_show', ...own, omit: ['email'] },
      { name: 'form', when: 'form_without_booking' },
      { name: 'lag', when: 'lag', digest: { at: '08:00' } },
      { name: 'evening', when: 'unconfirmed' },
      { name: 'week', when: 'weekly_summary', at: '07:30' },
    ];
    const file = JSON.stringify({ rules });
    const options = { graceMs: 5, configured: ['log', 'slack'] } as const;
    const { bookings, submissions, summaries, conditions } = await rulesIn(file, options);
    expect(bookings).toMatchObject([
      {
        on: 'booking',
        title: 'No-show',
        digest: 3_600_000,
        template: 'A',
        retractionTemplate: 'B',
        omit: ['email'],
        channels: ['slack'],
      },
      { evening: { zone: 'UTC' } },
    ]);
    expect(bookings[0]?.quiet).toBeDefined();
    const form = { on: 'submission', when: 'form_without_booking', isTimed: true, isReport: false, graceMs: 0 };
    expect(submissions).toMatchObject([form]);
    expect(summaries).toMatchObject([{ on: 'summary', isReport: true, at: '07:30', zone: 'UTC' }]);
    expect(conditions).toMatchObject([{ on: 'condition', when: 'lag', digest: { at: '08:00', timezone: 'UTC' } }]);
    const inBerlin = await rulesIn(file, { reportZone: 'Europe/Berlin' });
    expect(inBerlin.conditions[0]?.digest).toEqual({ at: '08:00', timezone: 'Europe/Berlin' });
    const defaults = await rulesIn(file, { configured: ['log'] });
    expect(defaults.bookings[0]?.channels).toEqual(['log']);
    for (const { about, page, title } of [...bookings, ...submissions, ...conditions])
      expect([about, page, title]).not.toContain('');
  });
});
