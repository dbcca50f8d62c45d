// The text of alerts: about a booking, about the mirror, of retractions, digests and templates.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pages } from '#src/dashboard/pages.ts';
import { sections } from '#src/dashboard/page.ts';
import { conditionKinds } from '#workers/alerts/conditions/conditions.ts';
import { buildDigest } from '#workers/alerts/message/digest.ts';
import { buildMessage, testMessage, type MessageInput } from '#workers/alerts/message/message.ts';
import { bookingKinds } from '#workers/alerts/rules/rules-file.ts';
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import { checkTemplate, renderTemplate, templateVariables } from '#workers/alerts/message/template.ts';
import { durationText, zonedSpan } from '#src/base/zoned-time.ts';
import { bookingContext, inviteeUri, rowOf } from '../../../harness/data/booking-context.ts';
import { messageTexts } from '../../../harness/data/hostile.ts';

const needs = { adminUrl: 'https://slots.example.test' };
const bookingLink = 'https://slots.example.test/bookings/I1';
const mark = {
  inviteeUri,
  noShowUri: 'https://api.example.test/invitee_no_shows/N1',
  markedAt: '2026-11-16T15:10:00.000000Z',
};
const ruleOf = (name: string, when: string) => {
  const kind = [...bookingKinds, ...conditionKinds].find((one) => one.when === when);
  const titles = kind !== undefined && 'titles' in kind ? kind.titles : undefined;
  return { name, title: kind?.title ?? '', titles, about: kind?.about ?? '', page: kind?.page };
};
const fact = { kind: 'no_show', noShowUri: mark.noShowUri } as const;
const noShow: MessageInput = {
  id: 'a1',
  rule: ruleOf('missed', 'no_show'),
  kind: 'alert',
  about: { context: bookingContext(), fact },
  occurredAt: mark.markedAt,
};
const canceledAt = '2026-11-16T10:55:00.000000Z';
const canceled = { status: 'canceled', canceled_at: canceledAt, canceler_type: 'invitee', cancel_reason: 'A train.' };
const cancellation = { kind: 'canceled', at: canceledAt } as const;
const lateCancel: MessageInput = {
  ...noShow,
  rule: ruleOf('late', 'late_cancel'),
  about: { context: bookingContext({ invitee: canceled, known: { marks: [] } }), fact: cancellation },
  occurredAt: canceledAt,
};

const factsOf = async (input: MessageInput) =>
  Object.fromEntries((await buildMessage(needs, input)).facts.map(({ label, value }) => [label, value]));
const textOf = async (input: MessageInput) => {
  const { title, text } = await buildMessage(needs, input);
  return [title, text];
};

describe('an alert about a booking', () => {
  it('says who did not show up for what, with whom and when, how to reach them and how to reschedule', async () => {
    const reschedule_url = 'https://book.example.test/reschedulings/R1';
    const contact = { row: rowOf('contacts', { company: 'Engines Ltd' }), fields: new Map() };
    const invitee = { reschedule_url, timezone: 'America/New_York' };
    const context = bookingContext({ invitee, known: { contact } });
    expect(await buildMessage(needs, { ...noShow, about: { context, fact } })).toEqual({
      id: 'a1',
      rule: 'missed',
      follows: undefined,
      kind: 'alert',
      title: 'No-show: Ada Lovelace',
      text: 'Ada Lovelace did not show up for Introduction.',
      facts: [
        { label: 'Who', value: 'Ada Lovelace' },
        { label: 'E-mail', value: 'ada@example.test' },
        { label: 'Company', value: 'Engines Ltd' },
        { label: 'Event', value: 'Introduction' },
        { label: 'When', value: 'Mon, 16 Nov 2026, 15:00–16:00 (Europe/Berlin)' },
        { label: "Invitee's local time", value: 'Mon, 16 Nov 2026, 09:00–10:00 (America/New_York)' },
        { label: 'Host', value: 'Grace Hopper' },
        { label: 'Reschedule', value: reschedule_url, isLink: true },
      ],
      link: bookingLink,
      occurredAt: mark.markedAt,
      subjects: [inviteeUri],
    });
  });

  it('has no link when the address of the admin listener is unknown', async () => {
    expect((await buildMessage({ adminUrl: undefined }, noShow)).link).toBeUndefined();
  });

  it('links to the values of the row where the URI of the invitee has another form', async () => {
    const uri = 'https://api.example.test/people/1?a=b';
    const about = { context: bookingContext({ invitee: { uri } }), fact };
    const { link } = await buildMessage(needs, { ...noShow, about });
    expect(link).toBe(`https://slots.example.test/why?uri=${encodeURIComponent(uri)}`);
  });

  it('has no link that is too long for a channel', async () => {
    const context = bookingContext({ invitee: { uri: `https://api.example.test/${'%'.repeat(900)}` } });
    expect((await buildMessage(needs, { ...noShow, about: { context, fact } })).link).toBeUndefined();
  });

  it('omits the facts and the link that its rule omits', async () => {
    const rule = { ...noShow.rule, omit: ['email', 'when', 'host', 'link'] };
    expect(await buildMessage(needs, { ...noShow, rule })).toMatchObject({
      facts: [{ label: 'Who' }, { label: 'Event' }],
      link: undefined,
    });
  });

  it.each(['javascript:alert(1)', 'https://a.test/ b', `https://a.test/${'x'.repeat(2_000)}`, 'https://a.test/"'])(
    'has no reschedule link when the service sends %.40s',
    async (reschedule_url) => {
      const context = bookingContext({ invitee: { reschedule_url } });
      expect(await factsOf({ ...noShow, about: { context, fact } })).not.toHaveProperty('Reschedule');
    },
  );

  it('names a host by e-mail address when the name is not a string, and omits a host without both', async () => {
    const hosts = [{ user_name: { toString: 1 }, user_email: 'grace@example.test' }, { user_name: 7 }, null, 'Grace'];
    expect(await factsOf({ ...noShow, about: { context: bookingContext({ event: { hosts } }), fact } })).toMatchObject({
      Host: 'grace@example.test',
    });
  });

  it('says how often, counted as the rule does', async () => {
    const earlier = (day: string) => ({
      ...mark,
      inviteeUri: `${inviteeUri}-${day}`,
      markedAt: `2026-${day}T00:00:00.000000Z`,
    });
    const marks = [earlier('01-01'), earlier('11-01'), mark, earlier('12-01')];
    const again = {
      ...noShow,
      about: { context: bookingContext({ known: { marks } }), fact },
      rule: ruleOf('again', 'repeat_no_show'),
    };
    expect(await textOf(again)).toEqual([
      'No-show again: Ada Lovelace',
      'Ada Lovelace did not show up for Introduction (their 3rd no-show).',
    ]);
    const within = { ...again, rule: { ...again.rule, noShowWindowMs: 90 * 86_400_000 } };
    expect(await factsOf(within)).toMatchObject({ 'No-shows': '2' });
    expect((await textOf(within))[1]).toMatch(/ \(their 2nd no-show within 90 d\)\.$/);
  });

  it('says how long before the start it was canceled, by whom and why', async () => {
    expect(await textOf(lateCancel)).toEqual([
      'Late cancellation: Ada Lovelace',
      'Ada Lovelace canceled Introduction, 3 h 5 min before it begins.',
    ]);
    expect(await factsOf(lateCancel)).toMatchObject({ Notice: '3 h 5 min', Reason: 'A train.' });
    const byHost = bookingContext({ invitee: { ...canceled, canceler_type: 'host' }, known: { marks: [] } });
    expect((await buildMessage(needs, { ...lateCancel, about: { context: byHost, fact: cancellation } })).text).toBe(
      'Introduction with Ada Lovelace was canceled by the host, 3 h 5 min before it begins.',
    );
  });

  it('says what a VIP did', async () => {
    const rule = ruleOf('vip', 'vip');
    const booked = { context: bookingContext(), fact: { kind: 'booked', inviteeUri } as const };
    expect(await textOf({ ...noShow, rule, about: booked })).toEqual([
      'VIP booking: Ada Lovelace',
      'Ada Lovelace booked Introduction.',
    ]);
    expect(await textOf({ ...lateCancel, rule })).toEqual([
      'VIP cancellation: Ada Lovelace',
      'Ada Lovelace canceled Introduction, 3 h 5 min before it begins.',
    ]);
    expect(await textOf({ ...noShow, rule })).toEqual([
      'VIP no-show: Ada Lovelace',
      'Ada Lovelace did not show up for Introduction.',
    ]);
    const template = '{{ on }}: {{ name }}';
    const texts = [noShow, lateCancel, { ...noShow, about: booked }].map(async (input) =>
      textOf({ ...input, rule: { ...rule, template } }),
    );
    expect((await Promise.all(texts)).map(([, text]) => text)).toEqual([
      'no_show: Ada Lovelace',
      'canceled: Ada Lovelace',
      'booked: Ada Lovelace',
    ]);
  });

  it('shows the time in the zone of each host where it is for the hosts', async () => {
    const hosts = ['U1', 'U2', 'U3'].map((user) => ({ user }));
    const zoneOf = (host: string) => (host === 'U2' ? 'Europe/London' : host === 'U1' ? 'Europe/Berlin' : null);
    const about = { context: bookingContext({ event: { hosts }, known: { zoneOf } }), fact };
    const berlin = 'Mon, 16 Nov 2026, 15:00–16:00 (Europe/Berlin)';
    expect(await factsOf({ ...noShow, about })).toMatchObject({ When: berlin });
    const rule = { ...noShow.rule, hostsOf: () => [] };
    expect(await factsOf({ ...noShow, rule, about })).toMatchObject({
      When: `${berlin}; Mon, 16 Nov 2026, 14:00–15:00 (Europe/London)`,
    });
  });

  it('shows the zone of the reports where the host has none', async () => {
    const about = { context: bookingContext({ known: { hostTimezone: null } }), fact };
    const { facts } = await buildMessage({ ...needs, reportZone: 'Asia/Tokyo' }, { ...noShow, about });
    expect(facts).toContainEqual({
      label: 'When',
      value: 'Mon, 16 Nov 2026, 23:00–Tue, 17 Nov 2026, 00:00 (Asia/Tokyo)',
    });
  });

  it('describes an invitee without a name and an unknown event', async () => {
    const context = {
      ...bookingContext({ invitee: { name: null }, known: { eventTypeName: null, hostTimezone: null } }),
      event: undefined,
    };
    const about = { context, fact };
    expect(await textOf({ ...noShow, about })).toEqual([
      'No-show: An invitee',
      'An invitee did not show up for a booking.',
    ]);
    expect(await factsOf({ ...noShow, about })).toEqual({
      Who: 'An invitee',
      'E-mail': 'ada@example.test',
      Event: 'a booking',
      When: 'unknown',
    });
  });
});

describe('a retraction', () => {
  const retraction = (context: BookingContext, input = noShow): MessageInput => ({
    ...input,
    id: 'a1-retraction',
    kind: 'retraction',
    follows: 'a1',
    about: { ...input.about, context, fact: 'fact' in input.about ? input.about.fact : fact },
  });
  const unmarked = { known: { marks: [] } };

  it('names the alert it retracts', async () => {
    expect(await buildMessage(needs, retraction(bookingContext(unmarked)))).toMatchObject({
      id: 'a1-retraction',
      follows: 'a1',
      kind: 'retraction',
      title: 'No-show alert retracted: Ada Lovelace',
    });
  });

  it('does not repeat the template of the alert, and has a template of its own', async () => {
    const input = retraction(bookingContext(unmarked));
    const ours = 'Ada Lovelace is no longer marked as a no-show for Introduction.';
    const rule = { ...input.rule, template: 'Call {{ name }} now!' };
    expect((await buildMessage(needs, { ...input, rule })).text).toBe(ours);
    const both = { ...rule, retractionTemplate: 'Do not call {{ name }}: {{ text }}' };
    expect((await buildMessage(needs, { ...input, rule: both })).text).toBe(`Do not call Ada Lovelace: ${ours}`);
  });

  it('says in its title what a VIP did', async () => {
    const input = retraction(bookingContext(unmarked), { ...noShow, rule: ruleOf('vip', 'vip') });
    expect((await buildMessage(needs, input)).title).toBe('VIP no-show alert retracted: Ada Lovelace');
  });

  it.each([
    ['the mark was removed', {}, 'Ada Lovelace is no longer marked as a no-show for Introduction.'],
    [
      'the booking was canceled',
      { status: 'canceled' },
      "Ada Lovelace's booking of Introduction was canceled, so it is no longer a no-show.",
    ],
    [
      'the booking was rescheduled',
      { status: 'canceled', rescheduled: true },
      "Ada Lovelace's booking of Introduction was rescheduled, so it is no longer a no-show.",
    ],
  ])('says that %s', async (_why, invitee, text) => {
    expect((await buildMessage(needs, retraction(bookingContext({ ...unmarked, invitee })))).text).toBe(text);
  });

  it('says that a cancellation turned out to be a reschedule', async () => {
    const moved = bookingContext({ ...unmarked, invitee: { ...canceled, rescheduled: true } });
    expect((await buildMessage(needs, retraction(moved, lateCancel))).text).toBe(
      "Ada Lovelace's booking of Introduction was rescheduled, so it is not canceled.",
    );
    expect(await factsOf(retraction(moved, lateCancel))).not.toHaveProperty('Notice');
  });

  it.each([
    [
      'a mark',
      bookingContext(),
      noShow,
      'Ada Lovelace is still marked as a no-show for Introduction, but the rule “missed” no longer matches.',
    ],
    [
      'another mark',
      bookingContext({ known: { marks: [{ ...mark, noShowUri: 'https://api.example.test/invitee_no_shows/N2' }] } }),
      noShow,
      'Replaced by another mark. Ada Lovelace is still marked as a no-show for Introduction.',
    ],
    [
      'a cancellation',
      bookingContext({ ...unmarked, invitee: canceled }),
      lateCancel,
      'Introduction with Ada Lovelace is still canceled, but the rule “late” no longer matches.',
    ],
    [
      'another cancellation',
      bookingContext({ ...unmarked, invitee: { ...canceled, canceled_at: mark.markedAt } }),
      lateCancel,
      'Replaced by another cancellation. Introduction with Ada Lovelace is still canceled.',
    ],
    [
      'a booking',
      bookingContext(unmarked),
      { ...noShow, about: { context: bookingContext(), fact: { kind: 'booked', inviteeUri } as const } },
      'Ada Lovelace is no VIP by the rule “missed” any more. The booking of Introduction stands.',
    ],
  ])('does not deny %s that is still true when only the rule no longer matches', async (_what, about, input, text) => {
    expect((await buildMessage(needs, retraction(about, input))).text).toBe(text);
  });
});

describe('an alert about the mirror', () => {
  const problem: MessageInput = {
    ...noShow,
    rule: ruleOf('late-rows', 'lag'),
    about: { subject: 'mirror', problem: 'Deliveries become rows 400 s after their event.' },
  };

  it('says what is wrong, and when it is over', async () => {
    expect(await textOf(problem)).toEqual(['Deliveries are late', 'Deliveries become rows 400 s after their event.']);
    expect(await textOf({ ...problem, kind: 'retraction', about: { subject: 'mirror', problem: null } })).toEqual([
      'Over: Deliveries are late',
      'This is over: Deliveries become rows late.',
    ]);
  });

  it('names its subject, unless that is the whole mirror', async () => {
    const uri = 'https://api.example.test/webhook_subscriptions/W1';
    expect(await factsOf(problem)).toEqual({});
    expect(
      await factsOf({ ...problem, rule: ruleOf('s', 'subscription'), about: { subject: uri, problem: 'x' } }),
    ).toEqual({ About: uri });
  });

  it('begins with the name of its subject where that has one', async () => {
    const rule = ruleOf('many', 'no_show_spike');
    const found = '34 of 248 missed in 30 days, 14 %, limit 10 %';
    const about = { subject: 'https://api.example.test/users/U1', name: 'Rosa Bergström', problem: found };
    expect((await buildMessage(needs, { ...problem, rule, about })).link).toBe(
      `https://slots.example.test/no-shows?host=${encodeURIComponent(about.subject)}`,
    );
    expect(await textOf({ ...problem, rule, about })).toEqual([
      'Many no-shows: Rosa Bergström',
      `Rosa Bergström: ${found}`,
    ]);
    expect(await factsOf({ ...problem, rule, about })).toEqual({});
    expect(await textOf({ ...problem, rule, about, kind: 'retraction' })).toEqual([
      'Many no-shows (over): Rosa Bergström',
      'This is over for Rosa Bergström: An unusually large share of bookings are no-shows.',
    ]);
  });

  it('links to the page that shows the problem, also when it is over', async () => {
    const linkOf = async (when: string, kind: MessageInput['kind']) =>
      (await buildMessage(needs, { ...problem, kind, rule: ruleOf('one', when) })).link;
    for (const kind of ['alert', 'retraction'] as const) {
      expect(await linkOf('subscription', kind)).toBe('https://slots.example.test/mirror/subscriptions');
      expect(await linkOf('quarantine', kind)).toBe('https://slots.example.test/deliveries?outcome=quarantined');
      expect(await linkOf('drift', kind)).toBe('https://slots.example.test/mirror/sync');
      expect(await linkOf('disk_log', kind)).toBe('https://slots.example.test/queues');
    }
    const test = testMessage(needs, { id: 't', now: mark.markedAt });
    expect(test.link).toBe('https://slots.example.test/');
  });

  it('has a page of the dashboard for every kind of rule', () => {
    const paths = new Set([...pages.map(({ path }) => path), ...Object.keys(sections)]);
    for (const { page } of [...bookingKinds, ...conditionKinds]) expect(paths).toContain(page.split('?', 1)[0]);
  });

  it('has a title for every kind of rule', () => {
    const titles = [...bookingKinds, ...conditionKinds].map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.filter((title) => title.length < 3 || title.length > 60)).toEqual([]);
  });
});

describe('a digest', () => {
  it('has one line per alert up to a limit, and every subject', async () => {
    const one = await buildMessage(needs, noShow);
    const digest = buildDigest(needs, {
      id: 'd1',
      rule: noShow.rule,
      messages: [one, { ...one, text: 'Another.', occurredAt: '2026-11-17T00:00:00.000000Z', subjects: ['u2'] }],
    });
    expect(digest).toMatchObject({
      id: 'd1',
      kind: 'digest',
      title: 'No-show: 2 since Mon, 16 Nov 2026, 15:10 (UTC)',
      text: ['Ada Lovelace did not show up for Introduction.', 'Another.']
        .map(
          (sentence) =>
            `• ${sentence} ada@example.test, Mon, 16 Nov 2026, 15:00–16:00 (Europe/Berlin), Grace Hopper https://slots.example.test/bookings/I1`,
        )
        .join('\n'),
      link: 'https://slots.example.test/no-shows',
      occurredAt: '2026-11-17T00:00:00.000000Z',
      subjects: [inviteeUri, 'u2'],
    });
    const inBerlin = buildDigest(
      { ...needs, reportZone: 'Europe/Berlin' },
      { id: 'd4', rule: noShow.rule, messages: [one] },
    );
    expect(inBerlin.title).toBe('No-show: 1 since Mon, 16 Nov 2026, 16:10 (Europe/Berlin)');
    const over = { ...one, kind: 'retraction' } as const;
    const retracted = buildDigest(needs, { id: 'd3', rule: noShow.rule, messages: [over, over] });
    expect(retracted.title).toBe('No-show: 2 retracted');
    const many = buildDigest(needs, {
      id: 'd2',
      rule: noShow.rule,
      messages: Array.from({ length: 1_000 }, () => ({ ...one, text: 'x'.repeat(2_000) })),
    });
    expect(many.text.split('\n')).toHaveLength(13);
    expect(many.text).toMatch(/… and 988 more\.$/);
    expect(many.text.length).toBeLessThan(3_000);
    expect(many.subjects).toHaveLength(1_000);
  });

  it('has its lines in the order of time, then of names, whatever order the alerts have', async () => {
    const rule = ruleOf('many', 'no_show_spike');
    const about = (name: string) => ({ subject: `https://api.example.test/users/${name}`, name, problem: '3 of 9' });
    const build = (name: string, occurredAt: string) =>
      buildMessage(needs, { id: name, rule, kind: 'alert', about: about(name), occurredAt });
    const messages = await Promise.all([
      build('Rosa', '2026-11-16T10:00:00.000000Z'),
      build('Ada', '2026-11-16T11:00:00.000000Z'),
      build('Grace', '2026-11-16T10:00:00.000000Z'),
    ]);
    const expected = '• Grace: 3 of 9\n• Rosa: 3 of 9\n• Ada: 3 of 9';
    for (const given of [messages, messages.toReversed()])
      expect(buildDigest(needs, { id: 'd', rule, messages: given }).text).toBe(expected);
  });

  it('has no address in its lines where a template or `omit` decides otherwise', async () => {
    for (const more of [{ template: 'Only {{ name }}' }, { omit: ['email'] }]) {
      const rule = { ...noShow.rule, ...more };
      const messages = [await buildMessage(needs, { ...noShow, rule })];
      expect(buildDigest(needs, { id: 'd', rule, messages }).text).not.toContain('@');
    }
  });
});

describe('the test message', () => {
  it('says that it is a test', () => {
    expect(testMessage(needs, { id: 't1', now: mark.markedAt })).toMatchObject({
      id: 't1',
      kind: 'test',
      subjects: [],
      occurredAt: mark.markedAt,
    });
  });
});

describe('a template', () => {
  const inTemplate = async (template: string, input = noShow) =>
    (await buildMessage(needs, { ...input, rule: { ...input.rule, template } })).text;

  it('determines the text, over several lines', async () => {
    expect(await inTemplate('{{ name }} <{{ email }}>\n{{ when }}, {{ host }}: {{ link }}')).toBe(
      `Ada Lovelace <ada@example.test>\nMon, 16 Nov 2026, 15:00–16:00 (Europe/Berlin), Grace Hopper: ${bookingLink}`,
    );
  });

  it('has every documented variable', async () => {
    const row = rowOf('contacts', { uri: 'c', name: 'Ada', company: 'Engines' });
    const contact = {
      row,
      fields: new Map<string, unknown>([
        ['Tier', 'gold'],
        ['Seats', 3],
        ['__proto__', 'x'],
      ]),
    };
    const context = bookingContext({
      invitee: {
        ...canceled,
        first_name: 'Ada',
        last_name: 'Lovelace',
        utm_source: 'news',
        reschedule_url: 'https://book.example.test/r',
      },
      known: { contact },
    });
    const template = `${templateVariables
      .filter((name) => !['utm', 'contact', 'form', 'answers'].includes(name))
      .map((name) => `{{ ${name} | size }}`)
      .join(' ')}|{{ utm.source }} {{ contact.company }} {{ contact.Tier }} {{ contact["Seats"] }}`;
    const [sizes = '', values] = (
      await inTemplate(template, { ...lateCancel, about: { context, fact: cancellation } })
    ).split('|');
    // A number has no size.
    expect(
      sizes
        .trim()
        .split(' ')
        .filter((size) => size === '0'),
    ).toEqual(['0']);
    expect(values).toBe('news Engines gold 3');
  });

  it('has exactly the variables that the documentation lists', () => {
    const page = readFileSync('docs/alerts.md', 'utf8');
    const table = page.slice(page.indexOf('| variable |'), page.indexOf('Conditions have the variables'));
    const names = table
      .split('\n')
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(names.toSorted()).toEqual(templateVariables.toSorted());
  });

  it('is not executed when it is part of a name', async () => {
    const name = messageTexts['Liquid'] ?? '';
    expect(
      await inTemplate('{{ name }}', { ...noShow, about: { context: bookingContext({ invitee: { name } }), fact } }),
    ).toBe(name);
  });

  it('that fails for a booking or renders nothing is replaced by the default text', async () => {
    const ours = 'Ada Lovelace did not show up for Introduction.';
    expect(await inTemplate('{% for i in (1..10000000) %}{{ name }}{% endfor %}')).toBe(ours);
    expect(await inTemplate('{% if reason != "" %}{{ reason }}{% endif %}')).toBe(ours);
  });

  it('renders the same text on a busy machine: its time limit does not count what the process does meanwhile', async () => {
    const rendering = Promise.resolve().then(() =>
      renderTemplate('{{ name }}|{{ event }}', { name: 'Ada', event: 'Talk' }),
    );
    queueMicrotask(() => {
      for (const endMs = performance.now() + 1_050; performance.now() < endMs;);
    });
    expect(await rendering).toBe('Ada|Talk');
  });

  it('reaches no prototype, no file and no code', async () => {
    for (const template of [
      '{{ name.constructor }}',
      '{{ contact.__proto__ }}',
      '{{ contact.constructor.constructor }}',
      '{{ utm.toString }}',
    ])
      expect(renderTemplate(template, { name: 'Ada', contact: {}, utm: {} })).toBe('');
    for (const template of ['{% include "package.json" %}', '{% render "/etc/passwd" %}', '{% layout "../x" %}'])
      expect(renderTemplate(template, {})).toBeUndefined();
  });

  it.each([
    ['{{ nam }}', 'unknown variable nam'],
    ['{{ name', 'not a valid Liquid template: output "{{ name" not closed'],
    ['{% if name %}', 'not a valid Liquid template: tag {% if name %} not closed'],
    ['{{ name | shout }}', 'not a valid Liquid template: undefined filter: shout'],
    ['{% include "x" %}', 'not a valid Liquid template: ENOENT'],
    ['{% for i in (1..100000000) %}x{% endfor %}', 'not a valid Liquid template: memory alloc limit exceeded'],
  ])('%s is rejected', async (template, mistake) => {
    expect(await checkTemplate(template)).toContain(mistake);
  });

  it.each([
    'plain',
    '{{ name | upcase }}',
    '{% assign first = name %}{{ first }}',
    '{{ contact["My field"] }}',
    '{{ utm.source | default: "none" }}',
  ])('%s is fine', async (template) => {
    expect(await checkTemplate(template)).toBeUndefined();
  });
});

describe('times', () => {
  it.each([
    [
      '2026-11-16T14:00:00.000000Z',
      '2026-11-16T14:30:00.000000Z',
      'Europe/Berlin',
      'Mon, 16 Nov 2026, 15:00–15:30 (Europe/Berlin)',
    ],
    [
      '2026-07-16T14:00:00.000000Z',
      '2026-07-16T14:30:00.000000Z',
      'Europe/Berlin',
      'Thu, 16 Jul 2026, 16:00–16:30 (Europe/Berlin)',
    ],
    [
      '2026-11-16T23:30:00.000000Z',
      '2026-11-17T00:30:00.000000Z',
      'UTC',
      'Mon, 16 Nov 2026, 23:30–Tue, 17 Nov 2026, 00:30 (UTC)',
    ],
    ['2026-11-16T14:00:00.000000Z', null, 'Asia/Kolkata', 'Mon, 16 Nov 2026, 19:30 (Asia/Kolkata)'],
    ['2026-11-16T14:00:00.000000Z', null, null, 'Mon, 16 Nov 2026, 14:00 (UTC)'],
    ['2026-11-16T14:00:00.000000Z', null, 'Mars/Olympus', 'Mon, 16 Nov 2026, 14:00 (UTC)'],
    ['2026-11-16T14:00:00.000000Z', null, '+02:00', 'Mon, 16 Nov 2026, 14:00 (UTC)'],
    ['never', null, 'UTC', 'unknown'],
  ])('%s to %s in %s is %s', (start, end, zone, expected) => {
    expect(zonedSpan(start, end, zone)).toBe(expected);
  });

  it.each([
    [0, '0 min'],
    [59_000, '59 s'],
    [3_600_000, '1 h'],
    [11_100_000, '3 h 5 min'],
    [86_400_000, '1 d'],
    [187_200_000, '2 d 4 h'],
  ])('%i ms are %s', (ms, expected) => {
    expect(durationText(ms)).toBe(expected);
  });
});
