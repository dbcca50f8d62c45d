// What a model sees of each value of an answer, with people masked and revealed.
import { describe, expect, it } from 'vitest';
import {
  eventName,
  eventTypeName,
  label,
  oneOf,
  ours,
  person,
  render,
  rowValue,
  text,
  time,
  uri,
  word,
} from '#src/addons/mcp/marked.ts';
import type { Presentation } from '#src/addons/mcp/marked.ts';
import { createMcpSecrets } from '#src/addons/mcp/secrets.ts';

const { pseudonym, seal, open } = createMcpSecrets('the secret of a mirror, of any length');
const shown = (presented: Presentation, isRevealed = false, mostText = 100) =>
  render(presented, { isRevealed, pseudonym, mostText, eventTypes: new Set(['Intro call', 'Ada']) });

const own = 'https://example.test/contacts/1';
const ada = { email: 'Ada@Example.test', name: 'Ada Lovelace' };

describe('a masked answer', () => {
  it('shows numbers, states, times, URIs of records, known events and our own words', () => {
    const [at, day] = ['2026-03-01T09:00:00.000000Z', '2026-03-01'];
    const contact = 'https://api.example.test:8080/contacts/00aa-BB_1';
    for (const [value, presented] of [
      [3, 3],
      [true, true],
      ['ok', word<'ok' | 'problem'>('ok')],
      ['host', oneOf(['host', 'invitee'], 'host')],
      [at, time(at)],
      [day, time(day)],
      [contact, uri(contact)],
      ['invitee.created', eventName('invitee.created')],
      ['contact.read', eventName('contact.read')],
      ['All is well.', ours('All is well.')],
    ] as const)
      expect(shown({ presented })).toEqual({ presented: value });
  });

  it('hides what does not look like what it should be', () => {
    for (const value of [
      time('Ada'),
      time('2026-03-01 Ada'),
      oneOf(['host'], 'Ada'),
      eventName('ada.lovelace'),
      eventName('ada.read'),
      uri('https://example.test/cancel?email=ada@example.test'),
      uri('https://ada@example.test/contacts/1'),
      uri('https://example.test/contacts/ada%40example.test'),
      uri('mailto:ada@example.test'),
      uri(`https://example.test/${'a'.repeat(400)}`),
      text('Ada'),
      text({ any: ['Ada'] }),
      rowValue('contacts.name', 'Ada', own),
      rowValue('event_types.position', 4_930_555_019, own),
      rowValue('scheduled_events.hosts', ['Ada'], own),
      // What a guest wrote, in the form of something else.
      rowValue('contacts.job_title', '2026-01-01', own),
      rowValue('contacts.linkedin', 'https://example.test/users/ada-lovelace', own),
      rowValue('invitees.event_uri', 'https://other.test/scheduled_events/ada-lovelace', own),
      rowValue('invitees.event_uri', 'https://example.test.other.test/scheduled_events/1', own),
      rowValue('contacts.created_at', 'Ada', own),
      rowValue('invitees.status', 'Ada', own),
      rowValue('contacts.unknown', '2026-01-01', own),
    ])
      expect(shown(value)).toBe('[hidden]');
    expect(
      [rowValue('event_types.active', true, own), rowValue('contacts.name', null, own)].map((value) => shown(value)),
    ).toEqual([true, null]);
    expect(
      shown([
        rowValue('contacts.last_meeting_date', '2026-03-01', own),
        rowValue('event_types.owner_uri', 'https://example.test/users/1', own),
        rowValue('invitees.status', 'canceled', own),
      ]),
    ).toEqual(['2026-03-01', 'https://example.test/users/1', 'canceled']);
  });

  it('hides a text that has passed the compiler without a mark', () => {
    expect(shown({ name: 'Ada' as unknown as null })).toEqual({ name: '[hidden]' });
  });

  it('gives a person one pseudonym, by the address in any letter case, that another secret makes another', () => {
    const [one, same, other] = [ada, { email: 'ada@example.TEST', name: 'A. L.' }, { name: 'Grace' }].map((who) =>
      shown(person(who)),
    );
    expect(one).toMatch(/^person-[\da-f]{16}$/);
    expect([same, other === one]).toEqual([one, false]);
    expect(createMcpSecrets('another').pseudonym('ada@example.test')).not.toBe(one);
    expect(person({ email: null, name: ' ', phone_numbers: [] })).toBeNull();
  });

  it('shows the names that hosts gave, unless they name a person of the answer or look like an address or a number', () => {
    const answer = (name: string) => shown({ invitee: person(ada), name: label(name) });
    for (const name of ['Intro call', 'Demo 2026', '30 minutes', 'Example for Adam', 'Test'])
      expect(answer(name)).toMatchObject({ name });
    for (const name of ['Call with ADA', 'Lovelace & co', 'ada@elsewhere.test', 'call +49 30 5550199', 'x＠y'])
      expect(answer(name)).toMatchObject({ name: '[hidden]' });
  });

  it('shows the name of an event type that is mirrored, and not that of a single meeting', () => {
    const answer = (name: string) => shown({ invitee: person(ada), name: eventTypeName(name) });
    expect([answer('Intro call'), answer('Advice for Grace'), answer('Ada')]).toMatchObject([
      { name: 'Intro call' },
      { name: '[hidden]' },
      { name: '[hidden]' },
    ]);
  });

  it('hides a URI that names a person of the answer, not one of the host of their address', () => {
    const contact = 'https://api.example.test/contacts/1';
    expect(shown({ person: person(ada), contact: uri(contact) })).toMatchObject({ contact });
    const named = { invitee: person({ name: 'ada-lovelace' }), page: uri('https://example.test/u/Ada-Lovelace') };
    expect(shown(named)).toMatchObject({ page: '[hidden]' });
  });
});

describe('a revealed answer', () => {
  it('shows everything, and cuts long texts', () => {
    const answer = { invitee: person(ada), note: text('x'.repeat(120)), form: label('Ada'), none: text(null) };
    expect(shown(answer, true)).toEqual({
      invitee: ada,
      note: `${'x'.repeat(100)}… (20 more characters)`,
      form: 'Ada',
    });
  });
});

describe('a cursor', () => {
  it('is opened by the mirror that sealed it, and shows nothing', () => {
    const sealed = seal('filters with ada@example.test');
    expect(open(sealed)).toBe('filters with ada@example.test');
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('ada');
    expect(createMcpSecrets('another').open(sealed)).toBeUndefined();
    for (const wrong of ['', 'abc', `${sealed}AAAA`, sealed.slice(4)]) expect(open(wrong)).toBeUndefined();
  });
});
