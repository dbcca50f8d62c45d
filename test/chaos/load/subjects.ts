// Contacts, event types and recaps of the history: created, changed, sent in part, sent late, deleted, and named again after their deletion.
import { serviceUrl, type Fields, type Happening, type Meeting, type Person, type World } from './world.ts';

interface Kind<About> {
  /** As in the names of its events. */
  readonly name: string;
  readonly about: () => About;
  /** Everything that may change. */
  readonly values: (about: About) => Fields;
  /** As the service sends it. */
  readonly sent?: (record: Fields) => Fields;
}

interface Subject<About> {
  readonly about: About;
  record: Fields;
  /** An earlier version, which may be sent once more. */
  former: Fields;
}

function subjects<About>({ random, hot, now, uri }: World, { name, about, values, sent }: Kind<About>) {
  const living: Subject<About>[] = [];
  const deleted: Subject<About>[] = [];
  const happening = (what: string, record: Fields): Happening[] => [
    { event: `${name}.${what}`, payload: sent?.(record) ?? record },
  ];

  function create(): Happening[] {
    const [one, at] = [about(), now()];
    const record = { uri: uri(`${name}s`), ...values(one), created_at: at, updated_at: at };
    living.push({ about: one, record, former: record });
    return happening('created', record);
  }

  function change(subject: Subject<About>): Happening[] {
    const changed = Object.entries(values(subject.about)).filter(() => random.chance(0.4));
    subject.former = subject.record;
    subject.record = { ...subject.record, ...Object.fromEntries(changed), updated_at: now() };
    return happening('updated', random.chance(0.3) ? part(subject.record) : subject.record);
  }

  /** Absent is not null: the former value stays. */
  function part(record: Fields): Fields {
    const isSent = (key: string): boolean => key === 'uri' || key === 'updated_at' || random.chance(0.6);
    return Object.fromEntries(Object.entries(record).filter(([key]) => isSent(key)));
  }

  function remove(subject: Subject<About>): Happening[] {
    living.splice(living.indexOf(subject), 1);
    deleted.push(subject);
    return happening('deleted', { uri: subject.record['uri'], deleted_at: now() });
  }

  return {
    living,
    step(): Happening[] {
      const roll = random.next();
      if (living.length < (hot ?? 3) || (hot === undefined && roll < 0.2)) return create();
      if (hot === undefined && roll < 0.27) return remove(random.pick(living));
      if (deleted.length > 0 && roll < 0.32) return change(random.pick(deleted));
      const subject = random.pick(living);
      if (roll < 0.36) return happening('updated', subject.former);
      // Two changes within a second, reported in the wrong order.
      if (roll < 0.46) return [...change(subject), ...change(subject)].toReversed();
      return change(subject);
    },
  };
}

const customFields = ['tier', 'seats', 'newsletter', 'topics'];

export function contacts(world: World) {
  const { random, canaries } = world;
  const person = (): Person => {
    const id = random.below(1_000_000_000).toString(36);
    return { name: `Ada ${canaries.name} ${id}`, email: `ada.${id}.${canaries.address}@example.test` };
  };
  const customField = (label: string, at: number): Fields => ({
    uri: `${serviceUrl}/contacts/custom_field_definitions/${label}`,
    label,
    value: random.pick([
      null,
      ['gold', random.below(500) / 4, random.chance(0.5), [`${canaries.answer} one`, 'two']][at],
    ]),
  });
  const { step, living } = subjects<Person>(world, {
    name: 'contact',
    about: person,
    values: ({ name, email }) => ({
      name: `${name} ${random.below(100)}`,
      // Bookings know the contact by the second one.
      emails: [
        ...(random.chance(0.5) ? [] : [{ email: `second.${email}`, is_primary: false }]),
        { email, is_primary: true },
      ],
      phone_numbers: random.chance(0.5) ? [] : [{ phone_number: `+49${canaries.phone}${random.below(90)}` }],
      timezone: random.pick(['Europe/Berlin', 'Asia/Kolkata', null]),
      job_title: random.pick([`Head of ${canaries.notes}`, '', null]),
      company: random.pick(['Žluťoučký & Söhne', 'a "quoted" \\ \n line', null]),
      city: random.pick(['Berlin', 'Praha 🏰', null]),
      linkedin: random.pick([`https://network.example/in/${canaries.token}`, null]),
      custom_fields: customFields.filter(() => random.chance(0.7)).map(customField),
      next_meeting_date: random.pick([world.later(30), null]),
      // A field that the service adds one day.
      ...(random.chance(0.05) && { pronouns: random.pick(['they', 'she', null]) }),
    }),
    sent: (contact) => (random.chance(0.5) ? { user_uuid: `u${random.below(3)}`, contact } : contact),
  });
  /** A contact, or a person who is none. */
  const someone = (): Person => (living.length > 0 && random.chance(0.7) ? random.pick(living).about : person());
  return { someone, step };
}

export const eventTypes = (world: World) => {
  const { random, canaries } = world;
  return subjects(world, {
    name: 'event_type',
    about: () => undefined,
    values: () => ({
      name: random.pick(['Talk', 'Demo', null]),
      active: random.chance(0.8),
      slug: random.pick(['talk', null]),
      duration: random.pick([15, 30, 60]),
      internal_note: random.pick([`We ${canaries.notes}.`, null]),
      profile: { type: 'User', name: 'Žofie Host', owner: `${serviceUrl}/users/u${random.below(3)}` },
      custom_questions: [{ name: 'Topics', type: 'text', position: 0, required: random.chance(0.5) }],
      locations: random.pick([[{ kind: 'zoom_conference' }], null]),
    }),
  });
};

export const recaps = (world: World, someMeeting: () => Meeting | undefined) => {
  const { random, canaries } = world;
  return subjects(world, {
    name: 'meeting_recap',
    about: () => eventOf(someMeeting()),
    values: (event) => ({
      ...event,
      transcript: random.pick(['https://scheduling.example/transcript', null]),
      summary_md: `## Summary\nThey ${canaries.notes} ${random.below(1000)}.`,
      action_items_md: random.pick(['- call back', null]),
      discussion_md: random.pick([`### Notes\n${canaries.answer}`, null]),
      share_link: random.pick([`https://scheduling.example/recaps/${canaries.token}`, null]),
    }),
    // The specification has one flat record; the service nests it.
    sent: ({ event, ...recap }) => {
      const events = event === undefined ? {} : { event };
      return random.chance(0.6) ? { ...events, recap } : { ...recap, ...events };
    },
  });
};

const eventOf = (meeting: Meeting | undefined): Fields => {
  if (meeting === undefined) return {};
  const { uri, name, start_time, end_time, location } = meeting.record;
  const people = meeting.people
    .slice(0, 3)
    .map(({ email, name }) => ({ host: false, user_email: email, user_name: name }));
  const attendees = [{ host: true, user_email: 'host@example.test', user_name: 'Žofie Host' }, ...people];
  return { event: { uri, name, start_time, end_time, location, attendees } };
};
