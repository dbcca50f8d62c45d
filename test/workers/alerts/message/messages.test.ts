// What alerts say: of a booking, of the mirror itself, of what was taken back, of many at once, and in an operator's own words.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conditionKinds } from '#workers/alerts/conditions/conditions.ts';
import { digestOf, messageOf, testMessage, type MessageInput } from '#workers/alerts/message/messages.ts';
import { ruleKinds } from '#workers/alerts/rules/rules.ts';
import { renderTemplate, templateComplaint, templateVariables } from '#workers/alerts/message/template.ts';
import { lengthOf, zonedSpan } from '#workers/alerts/message/zoned-time.ts';
import { caseOf, hostileTexts, inviteeUri, rowOf } from '../../../harness/alerts.ts';

const needs = { dashboardUrl: 'https://slots.example.test' };
const mark = {
  inviteeUri,
  noShowUri: 'https://api.example.test/invitee_no_shows/N1',
  markedAt: '2026-11-16T15:10:00.000000Z',
};
const noShow: MessageInput = {
  id: 'a1',
  rule: { name: 'missed', when: 'no_show' },
  kind: 'alert',
  about: caseOf(),
  fact: mark.noShowUri,
  occurredAt: mark.markedAt,
};
const canceledAt = '2026-11-16T10:55:00.000000Z';
const canceled = { status: 'canceled', canceled_at: canceledAt, canceler_type: 'invitee', cancel_reason: 'A train.' };
const lateCancel: MessageInput = {
  ...noShow,
  rule: { name: 'late', when: 'late_cancel' },
  about: caseOf({ invitee: canceled, known: { marks: [] } }),
  fact: `canceled ${canceledAt}`,
  occurredAt: canceledAt,
};

const factsOf = async (input: MessageInput) =>
  Object.fromEntries((await messageOf(needs, input)).facts.map(({ label, value }) => [label, value]));
const saidOf = async (input: MessageInput) => {
  const { title, text } = await messageOf(needs, input);
  return [title, text];
};

describe('an alert about a booking', () => {
  it('says who missed what, with whom and when, in the zone of the host', async () => {
    expect(await messageOf(needs, noShow)).toEqual({
      id: 'a1',
      rule: 'missed',
      follows: undefined,
      kind: 'alert',
      title: 'No-show: Ada Lovelace',
      text: 'Ada Lovelace did not show up for Introduction.',
      facts: [
        { label: 'Who', value: 'Ada Lovelace' },
        { label: 'Event', value: 'Introduction' },
        { label: 'When', value: 'Mon, 16 Nov 2026, 15:00–16:00 (Europe/Berlin)' },
        { label: 'Host', value: 'Grace Hopper' },
      ],
      link: 'https://slots.example.test/',
      occurredAt: mark.markedAt,
      subjects: [inviteeUri],
    });
  });

  it('has no link where nobody knows the dashboard', async () => {
    expect((await messageOf({ dashboardUrl: undefined }, noShow)).link).toBeUndefined();
  });

  it('names a host by their address where the name is no text, and leaves out one who has neither', async () => {
    const hosts = [{ user_name: { toString: 1 }, user_email: 'grace@example.test' }, { user_name: 7 }, null, 'Grace'];
    expect(await factsOf({ ...noShow, about: caseOf({ event: { hosts } }) })).toMatchObject({
      Host: 'grace@example.test',
    });
  });

  it('says how often, as the rule counts', async () => {
    const earlier = (day: string) => ({
      ...mark,
      inviteeUri: `${inviteeUri}-${day}`,
      markedAt: `2026-${day}T00:00:00.000000Z`,
    });
    const marks = [earlier('01-01'), earlier('11-01'), mark, earlier('12-01')];
    const again = { ...noShow, about: caseOf({ known: { marks } }), rule: { name: 'again', when: 'repeat_no_show' } };
    expect(await saidOf(again)).toEqual([
      'No-show again: Ada Lovelace',
      'Ada Lovelace did not show up for Introduction (3 times by now).',
    ]);
    const within = { ...again, rule: { ...again.rule, within: 90 * 86_400_000 } };
    expect(await factsOf(within)).toMatchObject({ 'No-shows': '2' });
  });

  it('says how long before the start it was canceled, by whom and why', async () => {
    expect(await saidOf(lateCancel)).toEqual([
      'Late cancellation: Ada Lovelace',
      'Ada Lovelace canceled Introduction, 3 h 5 min before it begins.',
    ]);
    expect(await factsOf(lateCancel)).toMatchObject({ Notice: '3 h 5 min', Reason: 'A train.' });
    const byHost = caseOf({ invitee: { ...canceled, canceler_type: 'host' }, known: { marks: [] } });
    expect((await messageOf(needs, { ...lateCancel, about: byHost })).text).toBe(
      'Introduction with Ada Lovelace was canceled by the host, 3 h 5 min before it begins.',
    );
  });

  it('says what somebody who matters did', async () => {
    const rule = { name: 'vip', when: 'vip' };
    expect(await saidOf({ ...noShow, rule, fact: `booked ${inviteeUri}` })).toEqual([
      'VIP: Ada Lovelace',
      'Ada Lovelace booked Introduction.',
    ]);
    expect(await saidOf({ ...noShow, rule })).toEqual([
      'VIP: Ada Lovelace',
      'Ada Lovelace did not show up for Introduction.',
    ]);
  });

  it('tells of somebody whose name was erased, and of an event nobody knows', async () => {
    const about = {
      ...caseOf({ invitee: { name: null }, known: { eventTypeName: null, hostTimezone: null } }),
      event: undefined,
    };
    expect(await saidOf({ ...noShow, about })).toEqual([
      'No-show: Somebody',
      'Somebody did not show up for a booking.',
    ]);
    expect(await factsOf({ ...noShow, about })).toEqual({ Who: 'Somebody', Event: 'a booking', When: 'unknown' });
  });
});

describe('what is taken back', () => {
  const retraction = (about: MessageInput['about'], input = noShow): MessageInput => ({
    ...input,
    id: 'a1-retraction',
    kind: 'retraction',
    follows: 'a1',
    about,
  });
  const unmarked = { known: { marks: [] } };

  it('names the alert it follows', async () => {
    expect(await messageOf(needs, retraction(caseOf(unmarked)))).toMatchObject({
      id: 'a1-retraction',
      follows: 'a1',
      kind: 'retraction',
      title: 'Taken back: No-show: Ada Lovelace',
    });
  });

  it.each([
    ['the mark is gone', {}, 'Taken back: Ada Lovelace is no longer marked as a no-show for Introduction.'],
    [
      'the booking was canceled',
      { status: 'canceled' },
      'No longer so: Ada Lovelace did not show up for Introduction. The booking was canceled.',
    ],
    [
      'the booking was moved',
      { status: 'canceled', rescheduled: true },
      'No longer so: Ada Lovelace did not show up for Introduction. The booking was rescheduled.',
    ],
  ])('says that %s', async (_why, invitee, text) => {
    expect((await messageOf(needs, retraction(caseOf({ ...unmarked, invitee })))).text).toBe(text);
  });

  it('says of a cancellation that turned out to be a reschedule that it is none', async () => {
    const moved = caseOf({ ...unmarked, invitee: { ...canceled, rescheduled: true } });
    expect((await messageOf(needs, retraction(moved, lateCancel))).text).toBe(
      'No longer so: Introduction with Ada Lovelace was canceled. The booking was rescheduled.',
    );
    expect(await factsOf(retraction(moved, lateCancel))).not.toHaveProperty('Notice');
  });

  it.each([
    [
      'a mark',
      caseOf(),
      noShow,
      'No longer so for the rule “missed”. Ada Lovelace is still marked as a no-show for Introduction.',
    ],
    [
      'another mark',
      caseOf({ known: { marks: [{ ...mark, noShowUri: 'https://api.example.test/invitee_no_shows/N2' }] } }),
      noShow,
      'Taken back: another mark stands in its place. Ada Lovelace is still marked as a no-show for Introduction.',
    ],
    [
      'a cancellation',
      caseOf({ ...unmarked, invitee: canceled }),
      lateCancel,
      'No longer so for the rule “late”. Introduction with Ada Lovelace is still canceled.',
    ],
    [
      'another cancellation',
      caseOf({ ...unmarked, invitee: { ...canceled, canceled_at: mark.markedAt } }),
      lateCancel,
      'Taken back: another cancellation stands in its place. Introduction with Ada Lovelace is still canceled.',
    ],
    [
      'a booking',
      caseOf(unmarked),
      { ...noShow, fact: `booked ${inviteeUri}` },
      'No longer so for the rule “missed”. Ada Lovelace still has the booking of Introduction.',
    ],
  ])('does not deny %s that stands, where only the rule looks away', async (_what, about, input, text) => {
    expect((await messageOf(needs, retraction(about, input))).text).toBe(text);
  });
});

describe('an alert about the mirror', () => {
  const trouble: MessageInput = {
    ...noShow,
    rule: { name: 'late-rows', when: 'lag' },
    about: { subject: 'mirror', message: 'Deliveries become rows 400 s after their event.' },
    fact: 'f',
  };

  it('says what is wrong, and when it is over', async () => {
    expect(await saidOf(trouble)).toEqual(['Deliveries are late', 'Deliveries become rows 400 s after their event.']);
    expect(await saidOf({ ...trouble, kind: 'retraction', about: { subject: 'mirror' } })).toEqual([
      'Over: Deliveries are late',
      'This is over: Deliveries become rows late.',
    ]);
  });

  it('names what it is about, unless that is the mirror as a whole', async () => {
    const uri = 'https://api.example.test/webhook_subscriptions/W1';
    expect(await factsOf(trouble)).toEqual({});
    expect(
      await factsOf({ ...trouble, rule: { name: 's', when: 'subscription' }, about: { subject: uri, message: 'x' } }),
    ).toEqual({ About: uri });
  });

  it('has a title for every kind of rule', () => {
    const titles = [...ruleKinds, ...conditionKinds].map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.filter((title) => title.length < 3 || title.length > 60)).toEqual([]);
  });
});

describe('a digest', () => {
  it('has a line for each alert, as many as can be read, and every subject', async () => {
    const one = await messageOf(needs, noShow);
    const digest = digestOf(needs, {
      id: 'd1',
      rule: noShow.rule,
      messages: [one, { ...one, text: 'Another.', occurredAt: '2026-11-17T00:00:00.000000Z', subjects: ['u2'] }],
    });
    expect(digest).toMatchObject({
      id: 'd1',
      kind: 'digest',
      title: 'No-show: 2 alerts',
      text: '• Ada Lovelace did not show up for Introduction.\n• Another.',
      occurredAt: '2026-11-17T00:00:00.000000Z',
      subjects: [inviteeUri, 'u2'],
    });
    const many = digestOf(needs, {
      id: 'd2',
      rule: noShow.rule,
      messages: Array.from({ length: 1_000 }, () => ({ ...one, text: 'x'.repeat(2_000) })),
    });
    expect(many.text.split('\n')).toHaveLength(21);
    expect(many.text).toMatch(/… and 980 more\.$/);
    expect(many.text.length).toBeLessThan(3_000);
    expect(many.subjects).toHaveLength(1_000);
  });
});

describe('the test message', () => {
  it('says that it is one', () => {
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
    (await messageOf(needs, { ...input, rule: { ...input.rule, template } })).text;

  it('says it in an operator’s own words, over several lines', async () => {
    expect(await inTemplate('{{ name }} <{{ email }}>\n{{ when }}, {{ host }}: {{ link }}')).toBe(
      'Ada Lovelace <ada@example.test>\nMon, 16 Nov 2026, 15:00–16:00 (Europe/Berlin), Grace Hopper: https://slots.example.test/',
    );
  });

  it('knows every variable it is said to know', async () => {
    const row = rowOf('contacts', { uri: 'c', name: 'Ada', company: 'Engines' });
    const contact = {
      row,
      fields: new Map<string, unknown>([
        ['Tier', 'gold'],
        ['Seats', 3],
        ['__proto__', 'x'],
      ]),
    };
    const about = caseOf({
      invitee: { ...canceled, first_name: 'Ada', last_name: 'Lovelace', utm_source: 'news' },
      known: { contact },
    });
    const template = `${templateVariables
      .filter((name) => !['utm', 'contact'].includes(name))
      .map((name) => `{{ ${name} | size }}`)
      .join(' ')}|{{ utm.source }} {{ contact.company }} {{ contact.Tier }} {{ contact["Seats"] }}`;
    const [sizes = '', values] = (await inTemplate(template, { ...lateCancel, about })).split('|');
    // A number has no size.
    expect(
      sizes
        .trim()
        .split(' ')
        .filter((size) => size === '0'),
    ).toEqual(['0']);
    expect(values).toBe('news Engines gold 3');
  });

  it('is described with every variable, and no other', () => {
    const page = readFileSync('docs/alerts.md', 'utf8');
    const table = page.slice(page.indexOf('| variable |'), page.indexOf('Rules about the mirror have'));
    const names = table
      .split('\n')
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(names.toSorted()).toEqual(templateVariables.toSorted());
  });

  it('is not obeyed when it stands in a name', async () => {
    const name = hostileTexts['Liquid'] ?? '';
    expect(await inTemplate('{{ name }}', { ...noShow, about: caseOf({ invitee: { name } }) })).toBe(name);
  });

  it('that fails on some booking, or says nothing of it, leaves the alert in our words', async () => {
    const ours = 'Ada Lovelace did not show up for Introduction.';
    expect(await inTemplate('{% for i in (1..10000000) %}{{ name }}{% endfor %}')).toBe(ours);
    expect(await inTemplate('{% if reason != "" %}{{ reason }}{% endif %}')).toBe(ours);
  });

  it('reaches no prototype, no file and no code', async () => {
    for (const template of [
      '{{ name.constructor }}',
      '{{ contact.__proto__ }}',
      '{{ contact.constructor.constructor }}',
      '{{ utm.toString }}',
    ])
      expect(await renderTemplate(template, { name: 'Ada', contact: {}, utm: {} })).toBe('');
    for (const template of ['{% include "package.json" %}', '{% render "/etc/passwd" %}', '{% layout "../x" %}'])
      expect(await renderTemplate(template, {})).toBeUndefined();
  });

  it.each([
    ['{{ nam }}', 'a template of known variables: there is no nam'],
    ['{{ name', 'a Liquid template: output "{{ name" not closed'],
    ['{% if name %}', 'a Liquid template: tag {% if name %} not closed'],
    ['{{ name | shout }}', 'a Liquid template: undefined filter: shout'],
    ['{% include "x" %}', 'a Liquid template: ENOENT'],
    ['{% for i in (1..100000000) %}x{% endfor %}', 'a Liquid template: memory alloc limit exceeded'],
  ])('%s is complained about', async (template, complaint) => {
    expect(await templateComplaint(template)).toContain(complaint);
  });

  it.each([
    'plain',
    '{{ name | upcase }}',
    '{% assign first = name %}{{ first }}',
    '{{ contact["My field"] }}',
    '{{ utm.source | default: "none" }}',
  ])('%s is fine', async (template) => {
    expect(await templateComplaint(template)).toBeUndefined();
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
    [59_000, '0 min'],
    [3_600_000, '1 h'],
    [11_100_000, '3 h 5 min'],
    [86_400_000, '1 d'],
    [187_200_000, '2 d 4 h'],
  ])('%i ms are %s', (ms, expected) => {
    expect(lengthOf(ms)).toBe(expected);
  });
});
