// The text of alerts: about a booking, about the mirror, of retractions, digests and templates. What each says is in golden files.
import { describe, expect, it } from 'vitest';
import { pages } from '#src/addons/dashboard/pages.ts';
import { sections } from '#src/addons/dashboard/page.ts';
import { conditionKinds } from '#workers/out/alerts/conditions/conditions.ts';
import { buildDigest } from '#workers/out/alerts/message/digest.ts';
import { buildMessage, testMessage, type Message, type MessageInput } from '#workers/out/alerts/message/message.ts';
import { bookingKinds } from '#workers/out/alerts/rules/rules-file.ts';
import { checkTemplate, renderTemplate, templateVariables } from '#workers/out/alerts/message/template.ts';
import { durationText, zonedSpan } from '#src/base/zoned-time.ts';
import { bookingContext, inviteeUri, rowOf, type Booking } from '../../../../harness/data/booking-context.ts';
import { messageTexts } from '../../../../harness/data/hostile.ts';
import { expectGolden } from '../../../../harness/golden.ts';

const needs = { adminUrl: 'https://slots.example.test' };
const mark = {
  inviteeUri,
  noShowUri: 'https://api.example.test/invitee_no_shows/N1',
  markedAt: '2026-11-16T15:10:00.000000Z',
};
const kinds = [...bookingKinds, ...conditionKinds];
const ruleOf = (name: string, when: string) => {
  const kind = kinds.find((one) => one.when === when);
  const titles = kind !== undefined && 'titles' in kind ? kind.titles : undefined;
  return { name, title: kind?.title ?? '', titles, about: kind?.about ?? '', page: kind?.page };
};
const fact = { kind: 'no_show', noShowUri: mark.noShowUri } as const;
const booked = { kind: 'booked', inviteeUri } as const;
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
const unmarked = { marks: [] };
const lateCancel: MessageInput = {
  ...noShow,
  rule: ruleOf('late', 'late_cancel'),
  about: { context: bookingContext({ invitee: canceled, known: unmarked }), fact: cancellation },
  occurredAt: canceledAt,
};
const vip = ruleOf('vip', 'vip');

/** About another booking, or with another rule. */
const missed = (booking: Booking, rule: object = {}): MessageInput => ({
  ...noShow,
  rule: { ...noShow.rule, ...rule },
  about: { context: bookingContext(booking), fact },
});
const build = (input: MessageInput, more: object = {}) => buildMessage({ ...needs, ...more }, input);
const retract = (booking: Booking, input = noShow) =>
  build({
    ...input,
    id: 'a1-retraction',
    kind: 'retraction',
    follows: 'a1',
    about: { context: bookingContext(booking), fact: 'fact' in input.about ? input.about.fact : fact },
  });

const earlier = (day: string) => ({
  ...mark,
  inviteeUri: `${inviteeUri}-${day}`,
  markedAt: `2026-${day}T00:00:00.000000Z`,
});
const again = missed(
  { known: { marks: [earlier('01-01'), earlier('11-01'), mark, earlier('12-01')] } },
  ruleOf('again', 'repeat_no_show'),
);
const threeHosts = {
  event: { hosts: ['U1', 'U2', 'U3'].map((user) => ({ user })) },
  known: { zoneOf: (host: string) => ({ U1: 'Europe/Berlin', U2: 'Europe/London' })[host] ?? null },
};
const fullBooking = {
  invitee: { reschedule_url: 'https://book.example.test/reschedulings/R1', timezone: 'America/New_York' },
  known: { contact: { row: rowOf('contacts', { company: 'Engines Ltd' }), fields: new Map() } },
};
const unknownBooking = {
  invitee: { name: null },
  known: { event: undefined, eventTypeName: null, hostTimezone: null },
};
const oddHosts = [{ user_name: { toString: 1 }, user_email: 'grace@example.test' }, { user_name: 7 }, null, 'Grace'];

const problem = (when: string, about: object = {}, kind: MessageInput['kind'] = 'alert'): MessageInput => ({
  ...noShow,
  kind,
  rule: ruleOf('problem', when),
  about: { subject: 'mirror', problem: 'Deliveries become rows 400 s after their event.', ...about },
});
const rosa = {
  subject: 'https://api.example.test/users/U1',
  name: 'Rosa Bergström',
  problem: '34 of 248 missed in 30 days, 14 %, limit 10 %',
};
const spike = (name: string, occurredAt: string) =>
  build({ ...problem('no_show_spike', { subject: `users/${name}`, name, problem: '3 of 9' }), id: name, occurredAt });

const digest = async (inputs: readonly MessageInput[], more: object = {}) => {
  const messages = await Promise.all(inputs.map((input) => build(input)));
  return buildDigest({ ...needs, ...more }, { id: 'd1', rule: inputs[0]?.rule ?? noShow.rule, messages });
};
const another = missed({ invitee: { uri: `${inviteeUri}2`, name: 'Alan Turing', email: 'alan@example.test' } });

const cases: Readonly<Record<string, () => Promise<Message> | Message>> = {
  'no-show': () => build(missed(fullBooking)),
  'no-show-without-address-of-the-dashboard': () => build(noShow, { adminUrl: undefined }),
  'no-show-of-an-unusual-uri': () => build(missed({ invitee: { uri: 'https://api.example.test/people/1?a=b' } })),
  'no-show-with-a-link-that-is-too-long': () =>
    build(missed({ invitee: { uri: `https://api.example.test/${'%'.repeat(900)}` } })),
  'no-show-with-omitted-facts': () => build(missed({}, { omit: ['email', 'when', 'host', 'link'] })),
  'no-show-with-odd-hosts': () => build(missed({ event: { hosts: oddHosts } })),
  'no-show-of-three-hosts': () => build(missed(threeHosts)),
  'no-show-for-three-hosts': () => build(missed(threeHosts, { hostsOf: () => [] })),
  'no-show-in-the-zone-of-reports': () =>
    build(missed({ known: { hostTimezone: null } }), { reportZone: 'Asia/Tokyo' }),
  'no-show-of-an-unknown-booking': () => build(missed(unknownBooking)),
  'no-show-again': () => build(again),
  'no-show-again-within-a-window': () => build({ ...again, rule: { ...again.rule, noShowWindowMs: 90 * 86_400_000 } }),
  'late-cancellation': () => build(lateCancel),
  'late-cancellation-by-the-host': () => {
    const context = bookingContext({ invitee: { ...canceled, canceler_type: 'host' }, known: unmarked });
    return build({ ...lateCancel, about: { context, fact: cancellation } });
  },
  'vip-booking': () => build({ ...noShow, rule: vip, about: { context: bookingContext(), fact: booked } }),
  'vip-cancellation': () => build({ ...lateCancel, rule: vip }),
  'vip-no-show': () => build({ ...noShow, rule: vip }),
  'retraction-mark-removed': () => retract({ known: unmarked }),
  'retraction-of-a-vip': () => retract({ known: unmarked }, { ...noShow, rule: vip }),
  'retraction-canceled': () => retract({ known: unmarked, invitee: { status: 'canceled' } }),
  'retraction-rescheduled': () => retract({ known: unmarked, invitee: { status: 'canceled', rescheduled: true } }),
  'retraction-cancellation-was-a-reschedule': () =>
    retract({ known: unmarked, invitee: { ...canceled, rescheduled: true } }, lateCancel),
  'retraction-still-marked': () => retract({}),
  'retraction-marked-anew': () => retract({ known: { marks: [{ ...mark, noShowUri: 'another' }] } }),
  'retraction-still-canceled': () => retract({ known: unmarked, invitee: canceled }, lateCancel),
  'retraction-canceled-anew': () =>
    retract({ known: unmarked, invitee: { ...canceled, canceled_at: mark.markedAt } }, lateCancel),
  'retraction-no-vip-any-more': () =>
    retract({ known: unmarked }, { ...noShow, about: { context: bookingContext(), fact: booked } }),
  'retraction-with-the-template-of-the-alert': () =>
    retract({ known: unmarked }, missed({}, { template: 'Call {{ name }} now!' })),
  'retraction-with-a-template': () =>
    retract(
      { known: unmarked },
      missed({}, { template: 'x', retractionTemplate: 'Do not call {{ name }}: {{ text }}' }),
    ),
  'problem-lag': () => build(problem('lag')),
  'problem-lag-over': () => build(problem('lag', { problem: null }, 'retraction')),
  'problem-subscription': () =>
    build(problem('subscription', { subject: 'https://api.example.test/webhook_subscriptions/W1' })),
  'problem-quarantine': () => build(problem('quarantine')),
  'problem-drift-over': () => build(problem('drift', {}, 'retraction')),
  'problem-disk-log': () => build(problem('disk_log')),
  'problem-no-show-spike': () => build(problem('no_show_spike', rosa)),
  'problem-no-show-spike-over': () => build(problem('no_show_spike', rosa, 'retraction')),
  digest: () => digest([noShow, { ...another, occurredAt: '2026-11-17T00:00:00.000000Z' }]),
  'digest-in-the-zone-of-reports': () => digest([noShow], { reportZone: 'Europe/Berlin' }),
  'digest-of-retractions': () => digest([noShow, another].map((input) => ({ ...input, kind: 'retraction' as const }))),
  'digest-with-a-template': () => digest([missed({}, { template: 'Only {{ name }}' })]),
  'digest-with-an-omitted-address': () => digest([missed({}, { omit: ['email'] })]),
  'digest-in-order': async () => {
    const given = [spike('Rosa', '2026-11-16T10'), spike('Ada', '2026-11-16T11'), spike('Grace', '2026-11-16T10')];
    const messages = (await Promise.all(given)).map((one) => ({
      ...one,
      occurredAt: `${one.occurredAt}:00:00.000000Z`,
    }));
    const of = (list: readonly Message[]) =>
      buildDigest(needs, { id: 'd', rule: ruleOf('many', 'no_show_spike'), messages: list });
    expect(of(messages.toReversed())).toMatchObject({ text: of(messages).text });
    return of(messages);
  },
  'digest-of-a-thousand': async () => {
    const one = await build(noShow);
    const messages = Array.from({ length: 1_000 }, () => ({ ...one, text: 'x'.repeat(2_000) }));
    const many = buildDigest(needs, { id: 'd2', rule: noShow.rule, messages });
    expect([many.text.length < 3_000, many.subjects.length]).toEqual([true, 1_000]);
    return { ...many, subjects: [] };
  },
  test: () => testMessage(needs, { id: 't1', now: mark.markedAt }),
  'template-over-several-lines': () =>
    build(missed({}, { template: '{{ name }} <{{ email }}>\n{{ when }}, {{ host }}: {{ link }}' })),
  'template-of-a-vip': () => build({ ...lateCancel, rule: { ...vip, template: '{{ on }}: {{ name }}' } }),
  'template-that-renders-too-much': () =>
    build(missed({}, { template: '{% for i in (1..10000000) %}{{ name }}{% endfor %}' })),
  'template-that-renders-nothing': () =>
    build(missed({}, { template: '{% if reason != "" %}{{ reason }}{% endif %}' })),
  'template-in-a-name': () =>
    build(missed({ invitee: { name: messageTexts['Liquid'] ?? '' } }, { template: '{{ name }}' })),
};

/** As a person reads it. */
const shown = ({ id, rule, follows, kind, title, text, facts, link, occurredAt, subjects }: Message): string =>
  [
    title,
    text,
    '',
    ...facts.map(({ label, value, isLink }) => `${label}: ${isLink ? `<${value}>` : value}`),
    `→ ${link ?? 'no link'}`,
    '',
    `${kind} ${id} of the rule ${rule}${follows === undefined ? '' : `, follows ${follows}`}, ${occurredAt}`,
    ...subjects.map((subject) => `about ${subject}`),
  ].join('\n');

describe('a message', () => {
  it.each(Object.entries(cases))('reads as golden/%s.txt', async (name, message) => {
    await expectGolden(shown(await message()), `golden/${name}.txt`);
  });

  it.each(['javascript:alert(1)', 'https://a.test/ b', `https://a.test/${'x'.repeat(2_000)}`, 'https://a.test/"'])(
    'has no reschedule link when the service sends %.40s',
    async (reschedule_url) => {
      const { facts } = await build(missed({ invitee: { reschedule_url } }));
      expect(facts.map(({ label }) => label)).not.toContain('Reschedule');
    },
  );

  it('leads to a page of the dashboard, and has a title of its own, for every kind of rule', () => {
    const paths = new Set([...pages.map(({ path }) => path), ...Object.keys(sections)]);
    for (const { page } of kinds) expect(paths).toContain(page.split('?', 1)[0]);
    const titles = kinds.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.filter((title) => title.length < 3 || title.length > 60)).toEqual([]);
  });
});

describe('a template', () => {
  it('has every documented variable', async () => {
    const fields = new Map<string, unknown>([
      ['Tier', 'gold'],
      ['Seats', 3],
      ['__proto__', 'x'],
    ]);
    const names = { first_name: 'Ada', last_name: 'Lovelace', utm_source: 'news' };
    const context = bookingContext({
      invitee: { ...canceled, ...names, reschedule_url: 'https://book.example.test/r' },
      known: { contact: { row: rowOf('contacts', { uri: 'c', name: 'Ada', company: 'Engines' }), fields } },
    });
    const sizes = templateVariables
      .filter((name) => !['utm', 'contact', 'form', 'answers'].includes(name))
      .map((name) => `{{ ${name} | size }}`);
    const values = '{{ utm.source }} {{ contact.company }} {{ contact.Tier }} {{ contact["Seats"] }}';
    const template = `${sizes.join(' ')}|${values}`;
    const rule = { ...lateCancel.rule, template };
    const { text } = await build({ ...lateCancel, rule, about: { context, fact: cancellation } });
    const [given = '', shownValues] = text.split('|');
    // A number has no size.
    expect(given.split(' ').filter((size) => size === '0')).toEqual(['0']);
    expect(shownValues).toBe('news Engines gold 3');
  });

  it.each(['name.constructor', 'contact.__proto__', 'contact.constructor.constructor', 'utm.toString'])(
    'reaches no prototype by %s',
    (path) => {
      expect(renderTemplate(`{{ ${path} }}`, { name: 'Ada', contact: {}, utm: {} })).toBe('');
    },
  );

  it.each(['{% include "package.json" %}', '{% render "/etc/passwd" %}', '{% layout "../x" %}'])(
    'reads no file with %s',
    (template) => {
      expect(renderTemplate(template, {})).toBeUndefined();
    },
  );

  it('is accepted or rejected as golden/templates.txt says', async () => {
    const templates = ['{{ name | upcase }}', '{{ contact["My field"] }}', '{{ utm.source | default: "none" }}'];
    const wrong = ['{{ nam }}', '{{ name', '{% if name %}', '{{ name | shout }}'];
    const lines = [];
    for (const template of [...templates, ...wrong, '{% for i in (1..100000000) %}x{% endfor %}'])
      lines.push(`${template}: ${(await checkTemplate(template)) ?? 'accepted'}`);
    await expectGolden(lines.join('\n'), 'golden/templates.txt');
    expect(await checkTemplate('{% include "x" %}')).toContain('not a valid Liquid template: ENOENT');
  });
});

it('times and durations read as golden/times.txt', async () => {
  const morning = '2026-11-16T14:00:00.000000Z';
  const spans: readonly Parameters<typeof zonedSpan>[] = [
    [morning, '2026-11-16T14:30:00.000000Z', 'Europe/Berlin'],
    ['2026-07-16T14:00:00.000000Z', '2026-07-16T14:30:00.000000Z', 'Europe/Berlin'],
    ['2026-11-16T23:30:00.000000Z', '2026-11-17T00:30:00.000000Z', 'UTC'],
    ...['Asia/Kolkata', null, 'Mars/Olympus', '+02:00'].map((zone): Parameters<typeof zonedSpan> => [
      morning,
      null,
      zone,
    ]),
    ['never', null, 'UTC'],
  ];
  const durations = [0, 59_000, 3_600_000, 11_100_000, 86_400_000, 187_200_000];
  const lines = [
    ...spans.map((span) => `${span.join(' ')}: ${zonedSpan(...span)}`),
    ...durations.map((ms) => `${ms} ms: ${durationText(ms)}`),
  ];
  await expectGolden(lines.join('\n'), 'golden/times.txt');
});
