// Bookings of the history: made, moved, canceled, missed and marked by mistake; alone and in groups; some led to by a routing form.
import { serviceUrl, type Fields, type Happening, type Meeting, type Person, type World } from './world.ts';

interface Booking {
  record: Fields;
  readonly meeting: Meeting;
}

const tags = ['utm_campaign', 'utm_source', 'utm_medium', 'utm_content', 'utm_term', 'salesforce_uuid'];

export function bookings(world: World, someone: () => Person) {
  const { random, canaries } = world;
  const active: Booking[] = [];
  /** A booking that was marked is neither moved nor canceled later. */
  const marked: Booking[] = [];
  const meetings: Meeting[] = [];
  const groups: Meeting[] = [];

  const happening = (event: string, { record, meeting }: Booking): Happening => ({
    event,
    payload: { ...record, scheduled_event: meeting.record },
  });

  function schedule(isGroup: boolean): Meeting {
    const at = world.now();
    const hours = 24 + random.below(500);
    const guest = { email: `guest.${canaries.address}@example.test`, created_at: at, updated_at: at };
    const record: Fields = {
      uri: world.uri('scheduled_events'),
      name: random.pick(['Talk', 'Žvanění', null]),
      meeting_notes_plain: random.pick([`They ${canaries.notes}.`, null]),
      status: 'active',
      start_time: world.later(hours),
      end_time: world.later(hours + 0.5),
      event_type: `${serviceUrl}/event_types/talk`,
      location: random.pick([{ type: 'zoom', join_url: `https://zoom.example/j/${canaries.token}` }, null]),
      invitees_counter: { total: 0, active: 0, limit: isGroup ? 500 : 1 },
      event_memberships: [{ user: `${serviceUrl}/users/u1`, user_email: 'host@example.test', user_name: 'Žofie Host' }],
      event_guests: random.chance(0.2) ? [guest] : [],
      created_at: at,
      updated_at: at,
    };
    const meeting = { isGroup, active: 0, people: [], record };
    meetings.push(meeting);
    if (isGroup) groups.push(meeting);
    return meeting;
  }

  function count(meeting: Meeting, change: 1 | -1, more: Fields = {}): void {
    meeting.active += change;
    const { limit } = meeting.record['invitees_counter'] as Fields;
    const invitees_counter = { total: meeting.people.length, active: meeting.active, limit };
    meeting.record = { ...meeting.record, invitees_counter, ...more, updated_at: world.now() };
  }

  function create(more: Fields, { name, email }: Person): Booking {
    const isGroup = world.hot !== undefined || random.chance(0.2);
    const reused = groups.length >= (world.hot ?? 5) ? random.pick(groups) : undefined;
    const meeting = (isGroup && reused) || schedule(isGroup);
    const at = world.now();
    meeting.people.push({ name, email });
    count(meeting, 1);
    const record: Fields = {
      uri: `${String(meeting.record['uri'])}/invitees/${random.below(1_000_000_000).toString(36)}`,
      email,
      name,
      status: 'active',
      questions_and_answers: [
        { question: 'What should we know? ', answer: `${canaries.answer} ${random.below(1000)}`, position: 0 },
        { question: 'Topics', answer: 'one\ntwo', position: 3 },
      ].slice(0, random.below(3)),
      timezone: random.pick(['Europe/Berlin', 'Asia/Kolkata', null]),
      event: meeting.record['uri'],
      created_at: at,
      updated_at: at,
      tracking: Object.fromEntries(tags.map((tag) => [tag, random.chance(0.5) ? `${tag}-${random.below(3)}` : null])),
      text_reminder_number: random.chance(0.3) ? `+1${canaries.phone}` : null,
      rescheduled: false,
      old_invitee: null,
      new_invitee: null,
      cancel_url: `https://scheduling.example/cancellations/${canaries.token}${random.below(1_000_000)}`,
      routing_form_submission: null,
      payment: random.pick([
        { external_id: 'ch_1', amount: random.pick([12.5, '19.99', 0]), currency: 'EUR' },
        null,
        null,
      ]),
      no_show: null,
      ...more,
    };
    const booking = { meeting, record };
    active.push(booking);
    return booking;
  }

  function cancel(booking: Booking, more: Fields = {}): Happening {
    active.splice(active.indexOf(booking), 1);
    const { record, meeting } = booking;
    const reason = random.pick([`because ${canaries.answer}`, '', null]);
    const cancellation = { canceled_by: record['name'], reason, canceler_type: 'host', created_at: world.now() };
    count(meeting, -1, meeting.isGroup ? {} : { status: 'canceled', cancellation });
    booking.record = { ...record, status: 'canceled', cancellation, ...more, updated_at: world.now() };
    return happening('invitee.canceled', booking);
  }

  /** Two deliveries that arrive in either order. */
  function move(booking: Booking): Happening[] {
    const { uri, name, email } = booking.record;
    const next = create({ old_invitee: uri }, { name: String(name), email: String(email) });
    const canceled = cancel(booking, { rescheduled: true, new_invitee: next.record['uri'] });
    return [canceled, happening('invitee.created', next)];
  }

  /** A mark does not change `updated_at`. */
  function mark(booking: Booking): Happening[] {
    const no_show = { uri: world.uri('invitee_no_shows'), created_at: world.now() };
    booking.record = { ...booking.record, no_show };
    return [happening('invitee_no_show.created', booking)];
  }

  function unmark(booking: Booking): Happening[] {
    booking.record = { ...booking.record, no_show: null };
    const { event, payload } = happening('invitee_no_show.deleted', booking);
    const { no_show: _, ...absent } = payload;
    return [{ event, payload: random.chance(0.5) ? payload : absent }];
  }

  const book = (person: Person, more: Fields = {}): Happening[] => [happening('invitee.created', create(more, person))];

  return {
    book,
    someMeeting: (): Meeting | undefined => (meetings.length > 0 ? random.pick(meetings) : undefined),
    submit(): Happening[] {
      const person = someone();
      const [uri, at] = [world.uri('routing_form_submissions'), world.now()];
      const isBooked = random.chance(0.3);
      const payload = {
        uri,
        routing_form: `${serviceUrl}/routing_forms/f${random.below(3)}`,
        questions_and_answers: [
          { question_uuid: 'q1', question: 'Your address', answer: person.email },
          { question_uuid: 'q2', question: 'Why?', answer: `${canaries.answer} ${random.below(1000)}` },
        ],
        tracking: { utm_campaign: 'spring', utm_source: null },
        result: isBooked ? { type: 'event_type', value: `${serviceUrl}/event_types/talk` } : { type: 'custom_message' },
        created_at: at,
        updated_at: at,
      };
      const submitted = { event: 'routing_form_submission.created', payload };
      return isBooked ? [submitted, ...book(person, { routing_form_submission: uri })] : [submitted];
    },
    step(): Happening[] {
      const roll = random.next();
      if (active.length < 5 || roll < 0.5) return book(someone());
      if (marked.length > 0 && roll > 0.9) {
        const booking = random.pick(marked);
        return booking.record['no_show'] === null ? mark(booking) : unmark(booking);
      }
      const booking = random.pick(active);
      if (roll < 0.65) return move(booking);
      if (roll < 0.8) {
        // What another part of the service still says about the booking, by a clock that is ahead.
        const before = { ...booking, record: { ...booking.record, updated_at: world.later(1) } };
        const canceled = cancel(booking);
        return random.chance(0.3) ? [canceled, happening('invitee.created', before)] : [canceled];
      }
      active.splice(active.indexOf(booking), 1);
      marked.push(booking);
      return mark(booking);
    },
  };
}
