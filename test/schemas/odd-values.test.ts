import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKinds, isEventKind, type EventKind } from '#schemas/events.ts';
import { readDelivery } from '#schemas/delivery.ts';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { project } from '#workers/fold/projections/registry.ts';
import { runs } from '../harness/runs.ts';
import { api, bodyOf, contactRecord, fullInvitee } from './bodies.ts';

const uri = `${api}/x/1`;
const moment = '2026-03-01T10:00:00Z';
const samples: Readonly<Record<string, JsonObject>> = {
  contact: { ...contactRecord, phone_numbers: [{ phone_number: '+15555550100' }], city: 'Berlin', user_uuid: 'u1' },
  invitee: {
    ...fullInvitee,
    no_show: { uri: `${api}/invitee_no_shows/n1`, created_at: moment },
    cancellation: { canceled_by: 'Ada', reason: 'ill', canceler_type: 'invitee', created_at: moment },
  },
  event_type: {
    uri,
    name: 'Intro',
    active: true,
    duration: 30,
    updated_at: moment,
    profile: { type: 'User', name: 'Ada', owner: `${api}/users/u1` },
  },
  meeting_recap: { uri, summary_md: 'x', created_at: moment, event: { uri, name: 'Intro', start_time: moment } },
  routing_form_submission: {
    uri,
    routing_form: `${api}/routing_forms/f1`,
    created_at: moment,
    questions_and_answers: [{ question_uuid: 'q1', question: 'Size', answer: '5' }],
    tracking: { utm_source: 'mail' },
    result: { type: 'external_url', value: 'https://example.test' },
  },
};
const kinds = Object.keys(eventKinds).filter(isEventKind);
const sampleOf = (kind: EventKind): JsonObject =>
  samples[(kind.split('.')[0] ?? '').replace('invitee_no_show', 'invitee')] ?? {};

type Path = readonly string[];

/** Every path but those of URIs that identify a record. */
function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const here = path.length > 0 && path.at(-1) !== 'uri' ? [path] : [];
  return [...here, ...inner.flatMap(([key, part]) => pathsIn(part, [...path, key]))];
}

function bent(value: unknown, [key = '', ...inner]: Path, odd: unknown): unknown {
  const copy: unknown = structuredClone(value);
  if (typeof copy === 'object' && copy !== null)
    Reflect.set(copy, key, inner.length === 0 ? odd : bent(Reflect.get(copy, key), inner, odd));
  return copy;
}

const odds: readonly unknown[] = [7.5, true, false, '', 'text', [], ['a'], [[7]], {}, { a: 7 }, -1];
const cases = kinds.flatMap((kind) => pathsIn(sampleOf(kind)).map((path) => ({ kind, path })));

const factOf = (kind: EventKind, payload: unknown) => {
  const read = readDelivery(bodyOf(kind, payload));
  if (read.state !== 'known') throw new Error(`${kind} is ${read.state}`);
  return { read, fact: project({ ...read, observed: read.createdAt }) };
};

const wholes = Object.fromEntries(kinds.map((kind) => [kind, factOf(kind, sampleOf(kind)).fact])) as Readonly<
  Record<EventKind, ReturnType<typeof factOf>['fact']>
>;

describe('a value that does not fit', () => {
  it('costs nothing but itself: the delivery is read, every other field is as it was, and the value is kept', () => {
    const holds = (offset: number): void => {
      for (const [at, { kind, path }] of cases.entries()) {
        const odd = odds[(at + offset) % odds.length];
        const whole = wholes[kind];
        const { read, fact } = factOf(kind, bent(sampleOf(kind), path, odd));
        expect(fact.subject).toEqual(whole.subject);
        const [top] = path;
        for (const [index, assignment] of whole.assignments.entries()) {
          const now = fact.assignments[index];
          // A meeting that is no record any more is set aside whole.
          if (now === undefined && top === 'scheduled_event') continue;
          const isBent = (field: string): boolean =>
            field === 'extra' || path.includes(field) || (assignment.table === 'meeting_recaps' && top === 'event');
          const others = Object.entries(assignment.fields).filter(([field]) => !isBent(field));
          for (const [field, value] of others) expect({ [field]: now?.fields[field] }).toEqual({ [field]: value });
        }
        if (fact.tombstone === undefined && read.notes.some((note) => note.startsWith(`${path.join('.')}: expected`)))
          expect(JSON.stringify(fact.assignments.map(({ fields }) => fields['extra']))).toContain(JSON.stringify(odd));
      }
    };
    fc.assert(fc.property(fc.nat(odds.length), holds), runs(2));
  });

  it('is in `extra` under its path, of the meeting where it is the meeting’s', () => {
    const payload = {
      ...fullInvitee,
      email: ['ada@example.test'],
      tracking: { ...fullInvitee.tracking, utm_source: 7 },
      questions_and_answers: [{ question: 'Size', answer: ['a', 'b'], position: 0 }, 'none'],
      scheduled_event: { ...fullInvitee.scheduled_event, start_time: 'soon' },
    };
    const { fact, read } = factOf('invitee.created', payload);
    expect(fact.assignments.map(({ fields }) => fields['extra'])).toEqual([
      {
        email: ['ada@example.test'],
        tracking: { utm_source: 7 },
        questions_and_answers: { '0': { answer: ['a', 'b'] }, '1': 'none' },
      },
      { start_time: 'soon' },
    ]);
    expect(fact.assignments[0]?.fields).not.toHaveProperty('email');
    expect(fact.assignments[0]?.fields['questions_and_answers']).toEqual([{ question: 'Size', position: 0 }]);
    expect(read.notes).toHaveLength(5);
  });

  it('is set aside with its part where the part is no record without it', () => {
    const { fact } = factOf('invitee.created', {
      ...fullInvitee,
      scheduled_event: { ...fullInvitee.scheduled_event, uri: 'none' },
    });
    expect(fact.assignments).toHaveLength(1);
    expect(fact.assignments[0]?.fields['extra']).toMatchObject({ scheduled_event: { name: 'Intro' } });
  });

  it('a no-show mark without a URI of its own is a mark all the same', () => {
    const no_show = { uri: 'string', created_at: '2026-03-02T10:00:00Z' };
    const { fact } = factOf('invitee_no_show.created', { ...fullInvitee, no_show });
    expect(fact.noShow).toMatchObject({ kind: 'mark', mark: { created_at: '2026-03-02T10:00:00.000000Z' } });
  });

  it('many of them are set aside as whole fields, in bounded time', () => {
    const answers = Array.from({ length: 5_000 }, (_, index) => index);
    const { fact, read } = factOf('invitee.created', { ...fullInvitee, questions_and_answers: answers });
    expect(read.notes.length).toBeLessThan(5);
    expect(isObject(fact.assignments[0]?.fields['extra'])).toBe(true);
    expect(fact.assignments[0]?.fields).toMatchObject({ email: fullInvitee.email });
  });
});

describe('a part of an undocumented shape', () => {
  const booking = (part: object) => bodyOf('invitee.created', { uri, scheduled_event: { uri, ...part } });

  it.each([
    ['counter', booking({ invitees_counter: { limit: 'unlimited' } })],
    ['guests', booking({ event_guests: ['a@example.test'] })],
    ['hosts', booking({ event_memberships: [uri] })],
    ['location', booking({ location: 'Room 1' })],
    ['meeting link', booking({ location: { join_url: { href: uri } } })],
    ['cancellation of the event', booking({ cancellation: 'weather' })],
    ['locations of an event type', bodyOf('event_type.created', { uri, locations: ['zoom'] })],
    ['answer choices', bodyOf('event_type.created', { uri, custom_questions: [{ answer_choices: [1, 2] }] })],
    ['attendees', bodyOf('meeting_recap.created', { uri, event: { attendees: ['x'] } })],
    ['custom field', bodyOf('contact.created', { uri, custom_fields: [{ uuid: 'x', value: 1 }] })],
    ['e-mail', bodyOf('contact.created', { uri, emails: [{ email: null }] })],
  ])('is kept as it came, and quarantines nothing: %s', (_name, body) => {
    const read = readDelivery(body);
    expect(read.state).toBe('known');
    if (read.state === 'known') expect(read.payload).toMatchObject(JSON.parse(body).payload as object);
  });
});
