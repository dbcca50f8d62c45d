// Contacts of the history: created, changed, sent in part, sent late, deleted, and named again after their deletion.
import { serviceUrl, type Fields, type Happening, type World } from './world.ts';

export interface Person {
  readonly name: string;
  readonly email: string;
}

interface Contact extends Person {
  readonly uri: string;
  record: Fields;
  /** An earlier version, which may be sent once more. */
  former: Fields;
}

const fields = ['tier', 'seats', 'newsletter', 'budget', 'since', 'topics'];
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC', null];

export function contacts(world: World) {
  const { random, canaries } = world;
  const living: Contact[] = [];
  const deleted: Contact[] = [];
  const wrapped = (contact: Fields): Fields =>
    random.chance(0.5) ? { user_uuid: `u${random.below(3)}`, contact } : contact;

  function person(): Person {
    const id = random.below(1_000_000_000).toString(36);
    return { name: `Ada ${canaries['name']} ${id}`, email: `ada.${id}.${canaries['address']}@example.test` };
  }

  function create(): Happening[] {
    const { name, email } = person();
    const uri = world.uri('contacts');
    const at = world.now();
    const dates = 'first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date';
    const record: Fields = {
      uri,
      name,
      emails: [{ email, is_primary: true }],
      phone_numbers: [],
      ...values(),
      creation_source: random.pick(['scheduling', 'manual', 'api']),
      ...Object.fromEntries(dates.split(' ').map((date) => [date, null])),
      created_at: at,
      updated_at: at,
    };
    living.push({ uri, name, email, record, former: record });
    return [{ event: 'contact.created', payload: wrapped(record) }];
  }

  /** Everything that changes but the address by which bookings know the contact. */
  function values(): Fields {
    const { phone, token, notes } = canaries;
    return {
      phone_numbers: random.chance(0.5) ? [] : [{ phone_number: `+49${phone}${random.below(90)}` }],
      timezone: random.pick(zones),
      job_title: random.pick([`Head of ${notes}`, 'Engineer', '', null]),
      company: random.pick(['Acme', 'Žluťoučký & Söhne', 'a "quoted" \\ \n line', null]),
      country: random.pick(['DE', 'US', null]),
      state: random.pick(['Berlin', null]),
      city: random.pick(['Berlin', 'Praha 🏰', null]),
      linkedin: random.pick([`https://network.example/in/${token}`, null]),
      custom_fields: fields.filter(() => random.chance(0.7)).map(customField),
      last_meeting_date: random.chance(0.5) ? world.later(-30) : null,
      next_meeting_date: random.chance(0.5) ? world.later(30) : null,
    };
  }

  function customField(field: string, index: number): Fields {
    const { answer } = canaries;
    const samples = [`option-${random.below(5)}`, random.below(500) / 4, random.chance(0.5), random.below(90_000)];
    const texts = ['2026-02-28', [`${answer} one`, 'two'], null, []];
    return {
      uri: `${serviceUrl}/contacts/custom_field_definitions/${field}`,
      label: field,
      value: random.chance(0.2) ? null : [...samples, ...texts][index],
    };
  }

  function change(contact: Contact): Happening[] {
    const all = Object.entries({ ...values(), name: `${contact.name} ${random.below(100)}`, emails: emails(contact) });
    const changed = Object.fromEntries(all.filter(() => random.chance(0.4)));
    contact.former = contact.record;
    contact.record = { ...contact.record, ...changed, updated_at: world.now() };
    // A field that the service adds one day.
    if (random.chance(0.05)) contact.record = { ...contact.record, pronouns: random.pick(['they', 'she', null]) };
    return [{ event: 'contact.updated', payload: wrapped(random.chance(0.3) ? part(contact) : contact.record) }];
  }

  function emails({ email }: Contact): Fields[] {
    const second = { email: `second.${email}`, is_primary: false };
    return random.chance(0.5) ? [{ email, is_primary: true }] : [second, { email, is_primary: true }];
  }

  /** Absent is not null: the former value stays. */
  function part({ record }: Contact): Fields {
    return Object.fromEntries(
      Object.entries(record).filter(([key]) => key === 'uri' || key === 'updated_at' || random.chance(0.6)),
    );
  }

  function remove(contact: Contact): Happening[] {
    living.splice(living.indexOf(contact), 1);
    deleted.push(contact);
    const { uri } = contact;
    return [{ event: 'contact.deleted', payload: wrapped({ uri, deleted_at: world.now() }) }];
  }

  return {
    /** A contact, or a person who is none. */
    someone: (): Person => (living.length > 0 && random.chance(0.7) ? random.pick(living) : person()),
    step(): Happening[] {
      const roll = random.next();
      const isHot = world.hot !== undefined;
      if (living.length < (world.hot ?? 3) || (!isHot && roll < 0.2)) return create();
      if (!isHot && roll < 0.24) return remove(random.pick(living));
      if (deleted.length > 0 && roll < 0.28) return change(random.pick(deleted));
      const contact = random.pick(living);
      if (roll < 0.33) return [{ event: 'contact.updated', payload: wrapped(contact.former) }];
      // Two changes within a second, reported in the wrong order.
      if (roll < 0.43) return [...change(contact), ...change(contact)].toReversed();
      return change(contact);
    },
  };
}
