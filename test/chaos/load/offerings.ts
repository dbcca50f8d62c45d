// What surrounds the bookings of the history: event types, recaps of meetings, and submissions of routing forms.
import type { Bookings, Meeting } from './bookings.ts';
import type { Person } from './contacts.ts';
import { serviceUrl, type Fields, type Happening, type World } from './world.ts';

interface Subject {
  record: Fields;
  isDeleted: boolean;
}

export function offerings(world: World, { book, someMeeting }: Bookings, someone: () => Person) {
  const { random, canaries } = world;
  const eventTypes: Subject[] = [];
  const recaps: Subject[] = [];

  function eventType(): Happening[] {
    if (eventTypes.length < 3 || random.chance(0.2)) {
      const at = world.now();
      const record = { ...bookable(), uri: world.uri('event_types'), created_at: at, updated_at: at, deleted_at: null };
      eventTypes.push({ record, isDeleted: false });
      return [{ event: 'event_type.created', payload: record }];
    }
    const subject = random.pick(eventTypes);
    const isDeletion = !subject.isDeleted && random.chance(0.2);
    const { uri } = subject.record;
    if (isDeletion) {
      subject.isDeleted = true;
      subject.record = { ...subject.record, active: false, deleted_at: world.now(), updated_at: world.now() };
      const { deleted_at } = subject.record;
      return [{ event: 'event_type.deleted', payload: random.chance(0.5) ? subject.record : { uri, deleted_at } }];
    }
    // Also of one that is deleted: a delivery that was late.
    subject.record = { ...subject.record, ...bookable(), updated_at: world.now() };
    return [{ event: 'event_type.updated', payload: subject.record }];
  }

  const bookable = (): Fields => ({
    name: random.pick(['Talk', 'Demo', null]),
    active: random.chance(0.8),
    slug: random.pick(['talk', null]),
    scheduling_url: 'https://scheduling.example/talk',
    duration: random.pick([15, 30, 60]),
    kind: random.pick(['solo', 'group']),
    pooling_type: random.pick(['round_robin', null]),
    type: 'StandardEventType',
    color: '#8247f5',
    internal_note: random.pick([`We ${canaries['notes']}.`, null]),
    description_plain: random.pick(['A talk', null]),
    description_html: '<p>A talk</p>',
    profile: { type: 'User', name: 'Žofie Host', owner: `${serviceUrl}/users/u${random.below(3)}` },
    secret: random.chance(0.5),
    booking_method: 'instant',
    custom_questions: [{ name: 'Topics', type: 'text', position: 0, enabled: true, required: random.chance(0.5) }],
    admin_managed: false,
    locations: random.pick([[{ kind: 'zoom_conference' }], null]),
    position: random.below(10),
    locale: 'en',
  });

  function recap(): Happening[] {
    const meeting = someMeeting();
    if (recaps.length < 3 || random.chance(0.5)) {
      const uri = world.uri('meeting_recaps');
      const at = world.now();
      recaps.push({
        record: { uri, transcript: `${uri}/transcript`, ...highlights(), created_at: at, updated_at: at },
        isDeleted: false,
      });
      return recapSent('meeting_recap.created', recaps.at(-1)?.record ?? {}, meeting);
    }
    const subject = random.pick(recaps);
    if (!subject.isDeleted && random.chance(0.2)) {
      subject.isDeleted = true;
      const { uri } = subject.record;
      return recapSent('meeting_recap.deleted', { uri, deleted_at: world.now() }, undefined);
    }
    subject.record = { ...subject.record, ...highlights(), updated_at: world.now() };
    return recapSent('meeting_recap.updated', subject.record, undefined);
  }

  const highlights = (): Fields => ({
    summary_md: `## Summary\nThey ${canaries['notes']} ${random.below(1000)}.`,
    action_items_md: random.pick(['- call back', null]),
    discussion_md: random.pick([`### Notes\n${canaries['answer']}`, null]),
    share_link: random.pick([`https://scheduling.example/recaps/${canaries['token']}`, null]),
  });

  /** The specification has one flat record; the service nests it. */
  function recapSent(event: string, recap: Fields, meeting: Meeting | undefined): Happening[] {
    const about = meeting && {
      ...Object.fromEntries(
        'uri name start_time end_time location'.split(' ').map((key) => [key, meeting.record[key]]),
      ),
      attendees: [
        { host: true, user_email: 'host@example.test', user_name: 'Žofie Host' },
        ...meeting.people.slice(0, 3).map(({ email, name }) => ({ host: false, user_email: email, user_name: name })),
      ],
    };
    const events = about && { event: about };
    const payload = random.chance(0.6) ? { ...events, recap } : { ...recap, ...events };
    return [{ event, payload }];
  }

  function submission(): Happening[] {
    const person = someone();
    const uri = world.uri('routing_form_submissions');
    const at = world.now();
    const result = random.pick<Fields>([
      { type: 'event_type', value: `${serviceUrl}/event_types/talk` },
      { type: 'external_url', value: 'https://example.test' },
      { type: 'custom_message', value: { headline: 'Sorry', body: 'Not now' } },
    ]);
    const payload = {
      uri,
      routing_form: `${serviceUrl}/routing_forms/f${random.below(3)}`,
      questions_and_answers: [
        { question_uuid: 'q1', question: 'Your address', answer: person.email },
        { question_uuid: 'q2', question: 'Why?', answer: `${canaries['answer']} ${random.below(1000)}` },
      ],
      tracking: { utm_campaign: 'spring', utm_source: null, utm_medium: null, utm_content: null, utm_term: null },
      result,
      submitter: null,
      submitter_type: null,
      created_at: at,
      updated_at: at,
    };
    const submitted = { event: 'routing_form_submission.created', payload };
    const isBooked = result['type'] === 'event_type' && random.chance(0.7);
    return isBooked ? [submitted, ...book(person, { routing_form_submission: uri })] : [submitted];
  }

  return { step: () => random.pick([eventType, recap, submission])() };
}
