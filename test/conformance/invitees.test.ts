// Conformance: POST /invitees, the invitee it answers with, its rules and its refusals.
import { expect } from 'vitest';
import type { LocationKind } from '#schemas/resources/event-type.ts';
import { openBooker, type Booker } from '../harness/sandbox/bookings.ts';
import { answers, documentedBody, lacking, noAccess, noRight, parametersIn, sixDigits, strange } from './answers.ts';
import { openForRows, rows } from './rows.ts';

let booker: Booker;
const sandbox = openForRows({ rateLimits: false, bookings: 0 }, async (opened) => {
  booker = await openBooker(opened);
});

const person = { email: 'ada@example.test', timezone: 'Europe/Berlin', name: 'Ada Rossi' };
type Request = Readonly<Record<string, unknown>>;

/** Shows that what is booked with this request is such an invitee. */
const shows = async (request: Request, expected: object): Promise<void> =>
  expect(await booker.booked(request)).toMatchObject(expected);

/** Refused with 400, about this parameter, and nothing booked. */
async function isInvalid(more: Request, parameter: string): Promise<void> {
  const before = sandbox.service.state.invitees.size;
  const answer = await booker.book(more);
  expect([answer.status, answer.body.title]).toEqual([400, 'Internal Server Error']);
  expect(parametersIn(answer)).toContain(parameter);
  expect(sandbox.service.state.invitees.size).toBe(before);
}

const anEventType = async (more: Request): Promise<string> => {
  const body = { name: 'Made for one row', duration: 30, owner: sandbox.handles.users.owner, ...more };
  return (await sandbox.call('POST', '/event_types', { body })).body.resource.uri;
};
const shown = async (uri: string) => (await sandbox.call('GET', uri)).body.resource;
const moved = async (uri: string) =>
  (await sandbox.control('POST', '/invitees/reschedule', { uri, start_time: booker.freshTime() })).body.resource;
const canceled = async (uri: string, more: object = {}) =>
  (await sandbox.control('POST', '/invitees/cancel', { uri, ...more })).body.resource;

// The answer

rows({
  'POST /invitees | 201 response: `resource` = Invitee': async () => {
    const { status, body } = await booker.book();
    expect([status, Object.keys(body)]).toEqual([201, ['resource']]);
    expect(Object.keys(body.resource).toSorted().join(' ')).toBe(
      'cancel_url created_at email event first_name invitee_scheduled_by last_name name new_invitee no_show old_invitee ' +
        'payment questions_and_answers reconfirmation reschedule_url rescheduled routing_form_submission ' +
        'scheduling_method status text_reminder_number timezone tracking updated_at uri',
    );
  },
  'States, fact 3 | a newly created booking is returned with invitee status `active`': () =>
    shows({}, { status: 'active' }),
  'Invitee.uri | unique reference': async () => {
    const [one, two] = [await booker.booked(), await booker.booked()];
    expect(one.uri).not.toBe(two.uri);
    expect(one.uri.startsWith(`${one.event}/invitees/`)).toBe(true);
    expect(await shown(one.uri)).toEqual(one);
  },
  'Invitee.email | string, required': () =>
    shows({ invitee: { ...person, email: 'noor@example.test' } }, { email: 'noor@example.test' }),
  'Invitee.first_name | null when the event type uses a single name field': () =>
    shows({}, { name: 'Ada Rossi', first_name: null }),
  'Invitee.last_name | null when the event type uses a single name field': () =>
    shows({}, { name: 'Ada Rossi', last_name: null }),
  'Invitee.name | string, required: of first and last name when they were given': () => {
    const names = { first_name: 'Ada', last_name: 'Rossi' };
    return shows({ invitee: { ...person, name: undefined, ...names } }, { name: 'Ada Rossi', ...names });
  },
  'Invitee.status | enum `active`, `canceled`': async () => {
    const { uri } = await booker.booked();
    expect((await canceled(uri)).status).toBe('canceled');
    expect((await shown(uri)).status).toBe('canceled');
  },
  'Invitee.questions_and_answers | list of InviteeQuestionAndAnswer, required': () =>
    shows({}, { questions_and_answers: [] }),
  'InviteeQuestionAndAnswer | `question`, `answer` and `position`, all required': async () => {
    const answer = { question: 'What would you like to talk about?', answer: 'Pricing', position: 0 };
    expect((await booker.booked({ questions_and_answers: [answer] })).questions_and_answers).toEqual([answer]);
    const bare = { ...answer, position: undefined };
    await isInvalid({ questions_and_answers: [bare] }, 'questions_and_answers.0.position');
  },
  'Invitee.timezone | string': () =>
    shows({ invitee: { ...person, timezone: 'Asia/Tokyo' } }, { timezone: 'Asia/Tokyo' }),
  'Invitee.event | URI of the scheduled event': async () => {
    const { event } = await booker.booked();
    expect(await shown(event)).toMatchObject({ uri: event, status: 'active' });
  },
  'Invitee.created_at, updated_at | timestamps': async () => {
    const { created_at, updated_at } = await booker.booked();
    expect(created_at).toMatch(sixDigits);
    expect(updated_at).toBe(created_at);
  },
  'InviteeTracking | all six are required, nullable strings': async () => {
    const given = { utm_campaign: 'spring', utm_source: null };
    const others = { utm_medium: null, utm_content: null, utm_term: null, salesforce_uuid: null };
    expect((await booker.booked({ tracking: given })).tracking).toEqual({ ...given, ...others });
  },
  'Invitee.text_reminder_number | phone for SMS reminders, nullable': async () => {
    await shows({}, { text_reminder_number: null });
    for (const text_reminder_number of ['+12025550123', '+1 202-555-0123', '+1 (202) 555.0123', '+49 30 5550 123'])
      await shows({ invitee: { ...person, text_reminder_number } }, { text_reminder_number });
  },
  'Invitee.rescheduled | when true, `new_invitee` references the replacement': async () => {
    const { uri, rescheduled } = await booker.booked();
    expect(rescheduled).toBe(false);
    const new_invitee = (await moved(uri)).uri;
    expect(await shown(uri)).toMatchObject({ status: 'canceled', rescheduled: true, new_invitee });
  },
  'Invitee.old_invitee | URI of the invitee that was rescheduled': async () => {
    const { uri, old_invitee } = await booker.booked();
    expect(old_invitee).toBeNull();
    expect(await moved(uri)).toMatchObject({ old_invitee: uri, status: 'active', rescheduled: false });
  },
  'Invitee.new_invitee | URI after a reschedule': async () => {
    const { uri, new_invitee } = await booker.booked();
    expect(new_invitee).toBeNull();
    await moved(uri);
    await answers(sandbox.call('GET', (await shown(uri)).new_invitee), 200);
  },
  'Invitee.cancel_url | link for cancelling': async () => {
    const [one, two] = [await booker.booked(), await booker.booked()];
    expect(new URL(one.cancel_url).href).not.toBe(two.cancel_url);
  },
  'Invitee.reschedule_url | link for rescheduling': async () => {
    const { reschedule_url, cancel_url } = await booker.booked();
    expect(new URL(reschedule_url).href).not.toBe(cancel_url);
  },
  'Invitee.routing_form_submission | URI of the submission that led to the booking page; null through the API': () =>
    shows({}, { routing_form_submission: null }),
  'Invitee.payment | InviteePayment, nullable': async () => {
    await shows({}, { payment: null });
    await shows({ event_type: booker.offers['Coaching session'] }, { payment: expect.any(Object) });
  },
  'InviteePayment | `external_id`, `provider`, `amount`, `currency`, `terms`, `successful`, all required': async () => {
    const { payment } = await booker.booked({ event_type: booker.offers['Coaching session'] });
    const external = { external_id: expect.stringMatching(/./), provider: expect.stringMatching(/^(stripe|paypal)$/) };
    const terms = expect.any(String);
    expect(payment).toEqual({ ...external, amount: 120, currency: 'EUR', terms, successful: true });
  },
  'Limits | payment terms length: up to 1,024 characters': async () => {
    const { payment } = await booker.booked({ event_type: booker.offers['Coaching session'] });
    expect(payment.terms.length).toBeLessThanOrEqual(1024);
  },
  'Invitee.no_show | InviteeAssociatedNoShow, nullable: `uri`, `created_at`': async () => {
    const { uri: invitee, no_show } = await booker.booked();
    await sandbox.control('POST', '/no_shows', { invitee });
    const marked = { uri: expect.stringMatching(/^http/), created_at: expect.stringMatching(sixDigits) };
    expect([no_show, (await shown(invitee)).no_show]).toEqual([null, marked]);
  },
  'Invitee.reconfirmation | present when reconfirmation was requested': async () => {
    await shows({}, { reconfirmation: null });
    await shows({ event_type: booker.offers['Office visit'] }, { reconfirmation: expect.any(Object) });
  },
  'InviteeReconfirmation | `created_at` when the notification was sent; `confirmed_at` null until the invitee reconfirms':
    async () => {
      const { reconfirmation } = await booker.booked({ event_type: booker.offers['Office visit'] });
      expect(reconfirmation).toEqual({ created_at: expect.stringMatching(sixDigits), confirmed_at: null });
    },
  'Invitee.scheduling_method | enum `instant_book`, `api`: `api` when booked here': () =>
    shows({}, { scheduling_method: 'api' }),
  'Invitee.invitee_scheduled_by | URI of the user who scheduled': async () => {
    const { invitee_scheduled_by } = await booker.booked({}, { as: 'admin' });
    expect(invitee_scheduled_by).toBe(sandbox.handles.users.admin);
  },
  'Invitee.cancellation | optional: there once canceled': async () => {
    const invitee = await booker.booked();
    expect(invitee).not.toHaveProperty('cancellation');
    expect((await canceled(invitee.uri, { reason: 'Ill' })).cancellation).toMatchObject({ reason: 'Ill' });
  },
  'Cancellation | `canceled_by` name of the canceler, `reason`, `canceler_type` host or invitee, `created_at`':
    async () => {
      const [one, two] = [await booker.booked(), await booker.booked()];
      const byInvitee = { canceled_by: 'Ada Rossi', reason: null, canceler_type: 'invitee' };
      const created_at = expect.stringMatching(sixDigits);
      expect((await canceled(one.uri)).cancellation).toEqual({ ...byInvitee, created_at });
      const byHost = { canceler_type: 'host', reason: '' };
      const { name } = await shown(sandbox.handles.users.owner);
      expect((await canceled(two.uri, byHost)).cancellation).toMatchObject({ canceled_by: name, ...byHost });
    },
});

// The request

rows({
  'POST /invitees, body event_type | string, required': () => isInvalid({ event_type: undefined }, 'event_type'),
  'POST /invitees, body start_time | string, required': () => isInvalid({ start_time: undefined }, 'start_time'),
  'POST /invitees, body invitee | object, required': () => isInvalid({ invitee: undefined }, 'invitee'),
  'POST /invitees, body event_type | URI of the event type': async () => {
    const event_type = booker.offers['Site walk'];
    expect((await shown((await booker.booked({ event_type })).event)).event_type).toBe(event_type);
    await isInvalid({ event_type: 'not-a-uri' }, 'event_type');
  },
  'POST /invitees, body start_time | start time in UTC (ISO 8601)': async () => {
    const start_time = booker.freshTime();
    const { event } = await booker.booked({ start_time });
    expect((await shown(event)).start_time).toBe(start_time.replace('Z', '000Z'));
    await isInvalid({ start_time: 'tomorrow at ten' }, 'start_time');
  },
  'POST /invitees, body start_time | a time in the past is refused | A21': () =>
    isInvalid({ start_time: '2020-01-01T10:00:00Z' }, 'start_time'),
  'POST /invitees, body start_time | a time at which the host is busy is taken all the same | A21': async () => {
    const start_time = booker.freshTime();
    const [one, two] = [await booker.booked({ start_time }), await booker.booked({ start_time })];
    expect(one.event).not.toBe(two.event);
  },
  'POST /invitees, body invitee.email | string, required': async () => {
    for (const email of [undefined, 'no-address']) await isInvalid({ invitee: { ...person, email } }, 'invitee.email');
  },
  'POST /invitees, body invitee.timezone | string, required': async () => {
    for (const timezone of [undefined, 'Middle/Earth'])
      await isInvalid({ invitee: { ...person, timezone } }, 'invitee.timezone');
  },
  'POST /invitees, body invitee.name | required if `first_name` is absent': async () => {
    for (const more of [{}, { last_name: 'Rossi' }])
      await isInvalid({ invitee: { ...person, name: undefined, ...more } }, 'invitee.name');
  },
  'POST /invitees, body invitee.first_name | required if `name` is absent; `last_name` is optional': () =>
    shows(
      { invitee: { ...person, name: undefined, first_name: 'Ada' } },
      { first_name: 'Ada', last_name: null, name: 'Ada' },
    ),
  'POST /invitees, body invitee.text_reminder_number | optional; a valid phone number in international format':
    async () => {
      const wrong = ['202 555 0123', '+1', '+0 202 555 0123', '+1 202 555 O123', '+1202555012345678'];
      for (const text_reminder_number of wrong)
        await isInvalid({ invitee: { ...person, text_reminder_number } }, 'invitee.text_reminder_number');
    },
  'POST /invitees, body location | not required': async () => {
    const { event } = await booker.booked();
    expect((await shown(event)).location).toMatchObject({ type: 'zoom_conference' });
  },
  'POST /invitees, body event_guests | guest e-mail addresses': async () => {
    const event_guests = ['one@example.test', 'two@example.test'];
    const { event } = await booker.booked({ event_guests });
    expect((await shown(event)).event_guests).toMatchObject(event_guests.map((email) => ({ email })));
    await isInvalid({ event_guests: ['no-address'] }, 'event_guests.0');
  },
  'Limits | event_guests: max 10': async () => {
    const guests = Array.from({ length: 11 }, (_, index) => `guest${index}@example.test`);
    await answers(booker.book({ event_guests: guests.slice(1) }), 201);
    await isInvalid({ event_guests: guests }, 'event_guests');
  },
  'POST /invitees, body | a field it does not know is refused | A21': async () => {
    const { status, body } = await booker.book({ duration: 45 });
    expect(status).toBe(400);
    expect(JSON.stringify(body.details)).toContain('duration');
  },
  'POST /invitees, body | null for an optional field says the same as leaving it out | A29': async () => {
    const nulls = { location: null, questions_and_answers: null, tracking: null, event_guests: null };
    const nothing = { first_name: null, last_name: null, text_reminder_number: null };
    const tracking = { utm_campaign: null, salesforce_uuid: null };
    const expected = { name: person.name, ...nothing, questions_and_answers: [], tracking };
    await shows({ ...nulls, invitee: { ...person, ...nothing } }, expected);
    await shows({ invitee: { ...person, name: null, first_name: 'Ada' } }, { name: 'Ada' });
    await isInvalid({ invitee: { ...person, name: null, first_name: null } }, 'invitee.name');
    for (const field of ['event_type', 'start_time', 'invitee']) await isInvalid({ [field]: null }, field);
  },
});

// Invitee location

const seeded = {
  physical: 'Office visit',
  inbound_call: 'Support line',
  outbound_call: 'Coaching session',
  zoom_conference: 'Intro call',
  google_conference: null,
  gotomeeting_conference: 'Partner sync',
  microsoft_teams_conference: null,
  webex_conference: 'Panel interview',
  ask_invitee: 'Site walk',
  custom: 'Lunch',
} as const satisfies Record<LocationKind, string | null>;

const offering = async (kind: keyof typeof seeded): Promise<string | undefined> =>
  seeded[kind] === null ? anEventType({ locations: [{ kind }] }) : booker.offers[seeded[kind]];

/** Shows that a booking needs words for a place of this kind, and meets there. */
async function takesWords(kind: 'physical' | 'outbound_call' | 'ask_invitee' | 'custom', location: string) {
  const event_type = await offering(kind);
  const { event } = await booker.booked({ event_type, location: { kind, location } });
  expect((await shown(event)).location).toMatchObject({ type: kind, location });
  await isInvalid({ event_type, location: { kind } }, 'location.location');
}
/** Shows what a place of this kind becomes, and that a booking may not add words to it. */
async function takesNothing(kind: keyof typeof seeded, place: object = {}) {
  const event_type = await offering(kind);
  const { event } = await booker.booked({ event_type, location: { kind } });
  expect((await shown(event)).location).toMatchObject({ type: kind, ...place });
  await answers(booker.book({ event_type, location: { kind, location: 'x' } }), 400);
}

rows({
  'Invitee location physical | `location`, required: the physical place': () =>
    takesWords('physical', '12 Harbour Street, second floor'),
  'Invitee location inbound_call | no extra fields: the invitee calls the host': () =>
    takesNothing('inbound_call', { location: '+12025550100' }),
  'Invitee location outbound_call | `location`, required: phone number the host uses to call the invitee': () =>
    takesWords('outbound_call', '+12025550199'),
  'Invitee location zoom_conference | no extra fields': () => takesNothing('zoom_conference', { status: 'pushed' }),
  'Invitee location google_conference | no extra fields': () => takesNothing('google_conference'),
  'Invitee location gotomeeting_conference | no extra fields': () =>
    takesNothing('gotomeeting_conference', { type: 'gotomeeting', status: 'pushed' }),
  'Invitee location microsoft_teams_conference | no extra fields': () => takesNothing('microsoft_teams_conference'),
  'Invitee location webex_conference | no extra fields': () => takesNothing('webex_conference', { status: 'pushed' }),
  'Invitee location ask_invitee | `location`, required: description given by the invitee': () =>
    takesWords('ask_invitee', 'The quay'),
  'Invitee location custom | `location`, required: the custom location': () => takesWords('custom', 'The usual place'),
  'Invitee location | request object, discriminated by `kind`': () =>
    isInvalid({ location: { kind: 'carrier_pigeon' } }, 'location.kind'),
});

// The rules

const size = { question: 'How big is your team?', answer: '1–10', position: 1 };
const consent = { question: 'May we record the call? ', answer: 'Yes', position: 3 };

const discovery = (...questions_and_answers: object[]) => ({
  event_type: booker.offers['Discovery call'],
  questions_and_answers,
});

rows({
  'POST /invitees, rule 1 | if `location` is given, its `kind` is required': () =>
    isInvalid({ location: { location: 'Room 4' } }, 'location.kind'),
  'POST /invitees, rule 2 | `location` must match the location configured on the event type': async () => {
    await answers(booker.book({ location: { kind: 'zoom_conference' } }), 201);
    await isInvalid({ location: { kind: 'webex_conference' } }, 'location.kind');
    for (const kind of ['physical', 'custom'] as const) {
      const place = (location: string) => ({ kind, location });
      const offered = { event_type: booker.offers[seeded[kind]], location: place('Somewhere else') };
      await isInvalid(offered, 'location.location');
      const twoRooms = await anEventType({ locations: [place('Room 4'), place('Room 5')] });
      await answers(booker.book({ event_type: twoRooms, location: place('Room 5') }), 201);
      const anywhere = await anEventType({ locations: [{ kind }] });
      await answers(booker.book({ event_type: anywhere, location: place('Room 6') }), 201);
    }
  },
  'POST /invitees, rule 3 | `location` must not be sent for an event type whose pooling_type is `round_robin`':
    async () => {
      const event_type = sandbox.handles.event_types.round_robin;
      await isInvalid({ event_type, location: { kind: 'microsoft_teams_conference' } }, 'location');
      await answers(booker.book({ event_type }), 201);
    },
  'POST /invitees, rule 4 | required booking-form questions must be present in `questions_and_answers`': async () => {
    await answers(booker.book(discovery(size, consent)), 201);
    await isInvalid(discovery(size), 'questions_and_answers');
    await isInvalid({ event_type: booker.offers['Discovery call'] }, 'questions_and_answers');
  },
  'POST /invitees, rule 4 | each `question` matches the question text of the form exactly (case sensitive)':
    async () => {
      const shouted = { ...size, question: size.question.toUpperCase() };
      await isInvalid(discovery(shouted, consent), 'questions_and_answers.0.question');
      const trimmed = { ...consent, question: consent.question.trim() };
      await isInvalid(discovery(size, trimmed), 'questions_and_answers.1.question');
    },
  'POST /invitees, rule 4 | the answer to a required question may not be blank | A21': () =>
    isInvalid(discovery({ ...size, answer: ' ' }, consent), 'questions_and_answers.0.answer'),
});

// Permission and errors

rows({
  'POST /invitees | required scope: `scheduled_events:write`': () =>
    answers(booker.book({}, { as: 'no_scopes' }), 403, lacking('scheduled_events:write')),
  'POST /invitees | available on paid plans only; the free plan receives 403': async () => {
    const user = (await sandbox.call('GET', '/users/me', { as: 'free_plan' })).body.resource.uri;
    const own = await sandbox.call('GET', '/event_types', { as: 'free_plan', query: { user } });
    const event_type = own.body.collection.find((one: { kind: string }) => one.kind === 'solo').uri;
    await answers(booker.book({ event_type }, { as: 'free_plan' }), 403, { title: 'Permission Denied' });
    await answers(booker.book(), 201);
  },
  'Errors, invitees creation | the scheduling interface is available only on paid plans': () =>
    answers(booker.book({}, { as: 'free_plan' }), 403, {
      message: 'The scheduling interface is available only on paid plans.',
    }),
  'Errors, invitees creation | `You do not have permission to access this resource.`': () =>
    answers(booker.book({}, { as: 'enterprise' }), 403, noAccess),
  'Errors, invitees creation | `You do not have permission`': async () => {
    await answers(booker.book({}, { as: 'member' }), 403, noRight);
    const own = { event_type: booker.offers['Coaching session'] };
    await answers(booker.book(own, { as: 'member' }), 201);
  },
  'Errors, POST /invitees 400 | request not valid: the documented title is `Internal Server Error`': () =>
    answers(sandbox.call('POST', '/invitees', { body: '{"event_type":' }), 400, { title: 'Internal Server Error' }),
  'Errors, POST /invitees 401 | caller cannot be authenticated': async () => {
    for (const who of [{ as: null }, { token: 'forged' }]) await answers(booker.book({}, who), 401, documentedBody);
  },
  'Errors, POST /invitees 404 | requested resource not found: an event type that never was, or is deleted':
    async () => {
      const gone = await anEventType({});
      await answers(sandbox.call('DELETE', gone), 204);
      for (const event_type of [`${sandbox.handles.base_url}/event_types/${strange}`, gone])
        await answers(booker.book({ event_type }), 404, documentedBody);
    },
  'Errors, POST /invitees 500 | server error: same title and message as 401': async () => {
    await sandbox.control('POST', '/faults', { status: 1 });
    const answer = await booker.book();
    await sandbox.control('POST', '/faults', {});
    expect(answer).toMatchObject({ status: 500, body: documentedBody });
  },
  'Errors, POST /invitees | error details name the parameter, and never repeat what was sent': async () => {
    const secret = 'secret-value';
    const answer = await booker.book({ invitee: { ...person, email: secret }, start_time: secret });
    expect(parametersIn(answer).toSorted()).toEqual(['invitee.email', 'start_time']);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  },
  'POST /invitees | an event type that is not active is refused | A21': async () =>
    isInvalid({ event_type: await anEventType({ active: false }) }, 'event_type'),
  'POST /invitees | a group takes invitees into one meeting until it is full | A21': async () => {
    const event_type = await anEventType({ kind: 'group', seats: 2 });
    const plan = { event_type, start_time: booker.freshTime() };
    const { uri, event } = await booker.booked(plan);
    await shows(plan, { event });
    await isInvalid(plan, 'start_time');
    await canceled(uri);
    await shows(plan, { event });
  },
  'POST /invitees | reschedule handling runs as for a booking made through the hosted interface': async () => {
    const place = { kind: 'ask_invitee', location: 'The quay' };
    const { uri, email } = await booker.booked({ event_type: booker.offers['Site walk'], location: place });
    const start_time = booker.freshTime();
    const { body } = await sandbox.control('POST', '/invitees/reschedule', { uri, start_time });
    expect(body.resource).toMatchObject({ email, old_invitee: uri });
    const meeting = { start_time: start_time.replace('Z', '000Z'), location: { location: 'The quay' } };
    expect(await shown(body.resource.event)).toMatchObject(meeting);
  },
});
