// Conformance: making, changing and removing contacts, and what subscribers hear of it.
import { expect } from 'vitest';
import { customFieldValueFor } from '#schemas/custom-field.ts';
import type { ApiScope } from '#schemas/api-scope.ts';
import type { CustomFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { contactsOf, createContact } from '#src/sandbox/world/contacts/contacts.ts';
import { openSubscriber, type Subscriber } from '../harness/sandbox/subscriber.ts';
import { openTestSandbox, type Answer, type CallOptions } from '../harness/sandbox.ts';
import { answers, lacking, parametersIn, recordOf, sixDigits, strange, tokenWith, urisOf } from './answers.ts';
import { openForRows, rows } from './rows.ts';

/** The definitions by their types; one is retired. */
let fields: Readonly<Record<string, CustomFieldDefinitionResource>>;
const sandbox = openForRows({ contacts: 12, bookings: 0, rateLimits: false }, async (opened) => {
  const { body } = await opened.call('GET', '/contacts/custom_field_definitions');
  const definitions = body.collection as CustomFieldDefinitionResource[];
  fields = Object.fromEntries(definitions.map((one) => [one.retired_at === null ? one.field_type : 'retired', one]));
});

const scalars = ['text', 'single_select', 'number', 'currency', 'date'] as const;
const types = [...scalars, 'tags', 'invitee_question'] as const;
let last = 0;
const newEmail = (): string => `new.${(last += 1)}@example.test`;
const newEmails = (count = 1) =>
  Array.from({ length: count }, (_, index) => ({ email: newEmail(), is_primary: index === 0 }));
const newPhones = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ phone_number: `+1202555010${index}` }));

const post = (body: object, more: CallOptions = {}): Promise<Answer> =>
  sandbox.call('POST', '/contacts', { body: { emails: newEmails(), ...body }, ...more });
const patch = (uri: string, body: object): Promise<Answer> => sandbox.call('PATCH', uri, { body });
const shown = async (uri: string) => (await sandbox.call('GET', uri)).body.resource;
const listed = async (query: CallOptions['query'] = {}) =>
  (await sandbox.call('GET', '/contacts', { query })).body.collection;

const created = (body: object = {}) => recordOf(post(body), 201);
const patched = (uri: string, body: object) => recordOf(patch(uri, body));
const uuidOf = (type: string): string | undefined => fields[type]?.uri.split('/').at(-1);
const goodValue = (type: string): unknown =>
  ({
    text: 'Prefers mornings',
    single_select: fields['single_select']?.options?.[0]?.uuid,
    number: 2.5,
    currency: 120_00,
    date: '2026-02-28',
    tags: ['one', 'two'],
    invitee_question: 'A friend',
  })[type];
/** The value of one contact's field of this type. */
const valueOf = (contact: { custom_fields: { uri: string; value: unknown }[] }, type: string): unknown =>
  contact.custom_fields.find(({ uri }) => uri === fields[type]?.uri)?.value;
const write = (type: string, value: unknown = goodValue(type)) => ({ custom_fields: [{ uuid: uuidOf(type), value }] });
const everyWrite = () => ({ custom_fields: types.flatMap((type) => write(type).custom_fields) });

/** Refused as a whole: 400 with the parameter, and nothing is made or changed. */
async function refuses(call: () => Promise<Answer>, parameter: RegExp): Promise<void> {
  const truth = () => JSON.stringify([...contactsOf(sandbox.service, sandbox.handles.organization).values()]);
  const before = truth();
  const answer = await call();
  expect([answer.status, parametersIn(answer)]).toEqual([
    400,
    expect.arrayContaining([expect.stringMatching(parameter)]),
  ]);
  expect(truth()).toBe(before);
}
const refusesPost = (body: object, parameter: RegExp): Promise<void> => refuses(() => post(body), parameter);
const refusesPatch = (uri: string, body: object, parameter: RegExp): Promise<void> =>
  refuses(() => patch(uri, body), parameter);
const [ofValue, ofUuid] = [/^custom_fields\.0\.value$/, /^custom_fields\.0\.uuid$/];

// POST /contacts

rows({
  'POST /contacts | create a contact': async () => {
    const contact = await created({ name: 'Ada Ito' });
    expect(await shown(contact.uri)).toEqual(contact);
    expect((await listed({ sort: 'created_at:desc' }))[0]).toEqual(contact);
  },
  "POST /contacts | takes the contact's own fields besides `custom_fields` | A9": async () => {
    const place = { timezone: 'Asia/Tokyo', country: 'JP', state: 'Osaka', city: 'Osaka' };
    const work = { job_title: 'Founder', company: 'Harbor & Pine', linkedin: 'https://network.example.test/in/ada' };
    const details = { emails: newEmails(2), phone_numbers: newPhones(2), name: 'Ada Ito', ...place, ...work };
    expect(await created(details)).toMatchObject(details);
    for (const wrong of [{ name: 7 }, { country: 'Japan' }, { timezone: 'Mars/Base' }, { linkedin: 'ada' }])
      await refusesPost(wrong, new RegExp(`^${Object.keys(wrong)[0]}$`));
  },
  'Contact | `country`: two-letter code, ISO 3166-1 alpha-2, on writes too': async () => {
    const { uri } = await created({ country: 'AX' });
    for (const country of ['ZZ', 'jp', 'UK', 'EU', '', 'JPN']) {
      await refusesPost({ country }, /^country$/);
      await refusesPatch(uri, { country }, /^country$/);
    }
    expect(await patched(uri, { country: null })).toMatchObject({ country: null });
  },
  'POST /contacts | a field that contacts do not have is refused | A9': () => answers(post({ nickname: 'A' }), 400),
  'POST /contacts | accepts `custom_fields` entries with only `uuid` and `value`': async () => {
    const contact = await created(everyWrite());
    for (const type of types) expect(valueOf(contact, type)).toEqual(goodValue(type));
  },
  'POST /contacts | `label` and schema fields are ignored on write': async () => {
    const [field] = write('text').custom_fields;
    const uri = 'https://elsewhere.test/1';
    const extras = { label: 'Another', field_type: 'number', options: [], currency: 'USD', uri };
    const { custom_fields } = await created({ custom_fields: [{ ...field, ...extras }] });
    const expected = { uri: fields['text']?.uri, value: goodValue('text'), label: 'Notes' };
    expect(custom_fields).toContainEqual(expected);
  },
  'Scopes | contacts:write: create, update, delete contacts': async () => {
    const { uri } = await created();
    const [reader, writer] = [['contacts:read'], ['contacts:write']].map((scopes) =>
      tokenWith(sandbox, scopes as ApiScope[]),
    );
    for (const [method, path, status] of [
      ['POST', '/contacts', 201],
      ['PATCH', uri, 200],
      ['DELETE', uri, 204],
    ] as const) {
      const call = (token = '') => sandbox.call(method, path, { token, body: { emails: newEmails() } });
      await answers(call(reader), 403, lacking('contacts:write'));
      await answers(call(writer), status);
    }
  },
  'Contact | exactly one entry of `emails` has is_primary true': async () => {
    const [one, two] = newEmails(2).map((email) => ({ ...email, is_primary: true }));
    const none = { ...one, is_primary: false };
    for (const emails of [[], [none], [one, two]]) await refusesPost({ emails }, /^emails/);
    const { uri } = await created();
    await refusesPatch(uri, { emails: [none] }, /^emails/);
    expect((await patched(uri, { emails: [none, two] })).emails).toHaveLength(2);
  },
  'POST /contacts | where no address says whether it is the primary one, the first is | A9': async () => {
    const emails = [{ email: newEmail() }, { email: newEmail() }];
    expect((await created({ emails })).emails).toMatchObject([{ is_primary: true }, { is_primary: false }]);
  },
  'Limits | emails per contact: max 10': async () => {
    expect((await created({ emails: newEmails(10) })).emails).toHaveLength(10);
    await refusesPost({ emails: newEmails(11) }, /^emails$/);
  },
  'Limits | phone numbers per contact: max 10': async () => {
    expect((await created({ phone_numbers: newPhones(10) })).phone_numbers).toHaveLength(10);
    await refusesPost({ phone_numbers: newPhones(11) }, /^phone_numbers$/);
  },
  'POST /contacts | an address that another contact has is refused with 400 | A18': async () => {
    const [one, two] = newEmails(2);
    const { uri } = await created({ emails: [one, two] });
    await refusesPost({ emails: [{ ...two, is_primary: true }] }, /^emails\.0\.email$/);
    const other = await created();
    const both = [...other.emails, { ...one, is_primary: false }];
    await refusesPatch(other.uri, { emails: both }, /^emails\.1\.email$/);
    expect((await patched(uri, { emails: [one] })).emails).toEqual([one]);
    expect((await patched(other.uri, { emails: [{ ...two, is_primary: true }] })).uri).toBe(other.uri);
  },
  'States fact 4 | a newly created contact has null first_email_date, last_email_date, next_meeting_date, last_meeting_date and last_interaction_date':
    async () => {
      const dates = ['first_email', 'last_email', 'next_meeting', 'last_meeting', 'last_interaction'];
      expect(await created()).toMatchObject(Object.fromEntries(dates.map((name) => [`${name}_date`, null])));
    },
});

// Custom field values

rows({
  'Value of a custom field | `boolean`: boolean, in the table of values only; no definition has this type, and none can be added | A8':
    async () => {
      const fits = customFieldValueFor({ field_type: 'boolean', options: null });
      const taken = [true, false, 'true', 1].map((value) => fits.safeParse(value).success);
      expect(taken).toEqual([true, true, false, false]);
      const added = sandbox.control('POST', '/custom_fields', { label: 'Newsletter', field_type: 'boolean' });
      await answers(added, 400, { details: [{ parameter: 'field_type' }] });
    },
  'Value of a custom field | scalar fields reject array values': async () => {
    for (const type of scalars)
      for (const value of [[goodValue(type)], []]) await refusesPost(write(type, value), ofValue);
  },
  'Value of a custom field | `tags` rejects non-array values': async () => {
    for (const value of ['one', 7, true, null, { 0: 'one' }]) await refusesPost(write('tags', value), ofValue);
  },
  'Value of a custom field | `tags` are free-form: any array of strings is taken': async () => {
    const tags = ['no vocabulary', '', 'ünïcode'];
    expect(valueOf(await created(write('tags', tags)), 'tags')).toEqual(tags);
    await refusesPost(write('tags', ['one', 2]), /value$/);
  },
  "Value of a custom field | `single_select` takes the `uuid` of one of the definition's options, and nothing else":
    async () => {
      for (const { uuid } of fields['single_select']?.options ?? [])
        expect(valueOf(await created(write('single_select', uuid)), 'single_select')).toBe(uuid);
      for (const value of [strange, 'Enterprise', '', 1]) await refusesPost(write('single_select', value), ofValue);
    },
  'Writes rule | values are validated against their definitions': async () => {
    for (const [type, ...values] of [
      ['text', 7, { nested: true }],
      ['number', '7'],
      ['currency', 10.5],
      ['date', '2026-02-30', '28.02.2026'],
      ['invitee_question', { nested: true }],
    ] as const)
      for (const value of values) await refusesPost(write(type, value), ofValue);
    await refusesPost({ custom_fields: [{ uuid: uuidOf('text') }] }, ofValue);
  },
  'Writes rule | a custom-field write that references an unknown field `uuid` is rejected': async () => {
    const { uri } = await created();
    for (const body of [{ custom_fields: [{ uuid: strange, value: 'x' }] }, { name: 'Y', ...write('none', 'x') }]) {
      await refusesPost(body, ofUuid);
      await refusesPatch(uri, body, ofUuid);
    }
  },
  'Writes rule | a custom-field write that references a retired field `uuid` is rejected': async () => {
    const { uri } = await created();
    await refusesPost(write('retired', 'x'), ofUuid);
    await refusesPatch(uri, write('retired', null), ofUuid);
  },
  'Writes rule | a field without a `uuid` is named by its `uri`, as it was read | A18': async () => {
    const from = await created(everyWrite());
    expect((await created({ custom_fields: from.custom_fields })).custom_fields).toEqual(from.custom_fields);
    const { uri } = await created();
    const named = (name: object) => ({ custom_fields: [{ ...name, value: 'x' }] });
    expect(valueOf(await patched(uri, named({ uuid: null, uri: fields['text']?.uri })), 'text')).toBe('x');
    const unknown = `${sandbox.handles.base_url}/${strange}`;
    await refusesPatch(uri, named({ uri: unknown }), /^custom_fields\.0\.uri$/);
    for (const nameless of [{}, { uri: 7 }, { label: 'Notes' }]) await refusesPatch(uri, named(nameless), ofUuid);
  },
  'Writes rule | a field is named by its `uuid` or by its whole URI, once | A18': async () => {
    const whole = [{ uuid: fields['number']?.uri, value: 5 }];
    expect(valueOf(await created({ custom_fields: whole }), 'number')).toBe(5);
    const twice = { custom_fields: [...whole, ...write('number').custom_fields] };
    await refusesPost(twice, /^custom_fields\.1\.uuid$/);
  },
  'POST /contacts | an address is the same in any letter case, and is on a contact once | A18': async () => {
    const [email, other] = [newEmail(), newEmail()];
    const { uri } = await created({ emails: [{ email: email.replace('new', 'New') }] });
    const [seeded] = await listed();
    for (const taken of [email, seeded.emails[0].email])
      await refusesPost({ emails: [{ email: taken.toUpperCase() }] }, /^emails\.0\.email$/);
    await refusesPost({ emails: [{ email: other }, { email: other.toUpperCase() }] }, /^emails\.1\.email$/);
    await refusesPatch(uri, { emails: [{ email: other }, { email: other }] }, /^emails\.1\.email$/);
    expect((await patched(uri, { emails: [{ email }] })).emails).toEqual([{ email, is_primary: true }]);
  },
  'POST /invitees | who books with another letter case is the same contact | A18': async () => {
    const email = newEmail();
    const { uri } = await created({ emails: [{ email }] });
    const contacts = contactsOf(sandbox.service, sandbox.handles.organization);
    const before = contacts.size;
    const { body } = await booking(email.toUpperCase());
    expect(body.resource.email).toBe(email.toUpperCase());
    expect(contacts.size).toBe(before);
    const { start_time } = await shown(body.resource.event);
    expect((await shown(uri)).next_meeting_date).toBe(start_time);
    expect(await listed({ email })).toHaveLength(1);
    expect(await listed({ email: email.toUpperCase() })).toHaveLength(0);
  },
  'POST and PATCH /contacts | null for a list says the same as leaving it out | A29': async () => {
    const contact = await created({ phone_numbers: null, custom_fields: null });
    expect(contact.phone_numbers).toEqual([]);
    const full = await patched(contact.uri, { phone_numbers: newPhones(2), ...everyWrite() });
    const nothing = { phone_numbers: null, custom_fields: null, emails: null };
    expect(await patched(contact.uri, nothing)).toEqual(full);
    const named = { ...full, name: 'Ada', updated_at: expect.any(String) };
    expect(await patched(contact.uri, { ...nothing, name: 'Ada' })).toEqual(named);
  },
});

// PATCH /contacts/<contact_uuid>

rows({
  'PATCH /contacts/<contact_uuid> | update a contact': async () => {
    const contact = await created({ name: 'Ada Ito', city: 'Osaka' });
    const changes = { name: 'Ada Sato', phone_numbers: newPhones(1), city: null };
    const changed = await patched(contact.uri, changes);
    expect(changed).toEqual({ ...contact, ...changes, updated_at: changed.updated_at });
    expect(await shown(contact.uri)).toEqual(changed);
    expect(changed.updated_at > contact.updated_at).toBe(true);
    await answers(patch(`/contacts/${strange}`, { name: 'X' }), 404);
  },
  'PATCH /contacts/<contact_uuid> | a seeded contact is updated like any other': async () => {
    const [seeded] = await listed();
    const changed = await patched(seeded.uri, { job_title: 'Pilot' });
    expect(changed).toEqual({ ...seeded, job_title: 'Pilot', updated_at: changed.updated_at });
    for (const query of [{}, { sort: 'updated_at:desc' }]) expect((await listed(query))[0]).toEqual(changed);
  },
  'PATCH /contacts/<contact_uuid> | `custom_fields` use merge semantics: include only changed fields': async () => {
    const contact = await created(everyWrite());
    const changed = await patched(contact.uri, write('number', 9));
    for (const type of types) expect(valueOf(changed, type)).toEqual(type === 'number' ? 9 : goodValue(type));
  },
  'PATCH /contacts/<contact_uuid> | `value: null` clears a scalar': async () => {
    const { uri } = await created(everyWrite());
    for (const type of scalars) expect(valueOf(await patched(uri, write(type, null)), type)).toBeNull();
    expect(valueOf(await shown(uri), 'tags')).toEqual(goodValue('tags'));
  },
  'PATCH /contacts/<contact_uuid> | `value: []` clears a tags field': async () => {
    const contact = await created(everyWrite());
    const changed = await patched(contact.uri, write('tags', []));
    expect(valueOf(changed, 'tags')).toEqual([]);
    expect(valueOf(changed, 'text')).toBe(goodValue('text'));
  },
});

// DELETE /contacts/<contact_uuid>

rows({
  'DELETE /contacts/<contact_uuid> | delete a contact': async () => {
    const [seeded] = await listed({ sort: 'updated_at:asc' });
    for (const { uri } of [await created(), seeded]) {
      await answers(sandbox.call('DELETE', uri), 204, undefined);
      for (const method of ['GET', 'DELETE']) await answers(sandbox.call(method, uri), 404);
      expect(urisOf(await sandbox.call('GET', '/contacts', { query: { count: 100 } }))).not.toContain(uri);
    }
  },
});

// Events

const contactEvents = ['contact.created', 'contact.updated', 'contact.deleted'] as const;

const listen = (scope: 'organization' | 'user' | 'group' = 'organization', user?: string): Promise<Subscriber> =>
  openSubscriber(sandbox, { events: contactEvents, scope, ...(user === undefined ? {} : { user }) });

const booking = (email: string): Promise<Answer> => {
  const start_time = new Date((firstSlotMs += 86_400_000)).toISOString();
  const invitee = { email, name: 'Bo Xu', timezone: 'Europe/Lisbon' };
  return sandbox.call('POST', '/invitees', {
    body: { event_type: sandbox.handles.event_types.solo, start_time, invitee },
  });
};

let firstSlotMs = Date.UTC(2030, 0, 1, 10);

rows({
  'Events | contact.created fires when a contact is created through the API': async () => {
    await using ear = await listen();
    const payload = await created({ name: 'Ada Ito' });
    const { created_at } = payload;
    expect(await ear.heard()).toEqual([expect.objectContaining({ event: 'contact.created', created_at, payload })]);
  },
  'Events | contact.created fires when a contact is created through scheduling': async () => {
    await using ear = await listen();
    const email = newEmail();
    await answers(booking(email), 201);
    const [emails, dates] = [[{ email, is_primary: true }], { next_meeting_date: null, last_interaction_date: null }];
    const payload = { emails, name: 'Bo Xu', timezone: 'Europe/Lisbon', ...dates };
    expect(await ear.heard()).toMatchObject([{ event: 'contact.created', payload }]);
  },
  'Events | contact.created fires when a contact is created through manual entry': async () => {
    await using ear = await listen();
    const { organization, users } = sandbox.handles;
    const details = { emails: newEmails() };
    createContact(sandbox.service, { organization, owner: users.member, source: 'manual', details });
    expect(await ear.heard()).toMatchObject([{ event: 'contact.created', payload: details }]);
  },
  'Events | contact.created: payload includes `custom_fields` with an entry for every defined field': async () => {
    await using ear = await listen();
    await created(write('number', 3));
    const [{ payload }] = await ear.heard();
    expect(payload.custom_fields).toHaveLength(7);
    expect(valueOf(payload, 'number')).toBe(3);
    expect(valueOf(payload, 'text')).toBeNull();
    expect(valueOf(payload, 'tags')).toEqual([]);
  },
  'Events | contact.updated fires when fields of a contact change': async () => {
    const contact = await created();
    await using ear = await listen();
    const { updated_at } = await patched(contact.uri, { company: 'Blue Fjord' });
    expect(await ear.heard()).toMatchObject([{ event: 'contact.updated', created_at: updated_at }]);
  },
  'Events | contact.updated: a write that changes nothing does not fire it': async () => {
    const contact = await created({ name: 'Ada Ito', ...everyWrite() });
    await using ear = await listen();
    for (const body of [{}, { name: 'Ada Ito' }, everyWrite(), write('tags')])
      expect(await patched(contact.uri, body)).toEqual(contact);
    expect(await ear.heard()).toEqual([]);
  },
  'Events | contact.updated: changes to related resources such as scheduled events do not fire it': async () => {
    const contact = await created();
    await using ear = await listen();
    const { body } = await booking(contact.emails[0].email);
    const { start_time } = await shown(body.resource.event);
    expect(await shown(contact.uri)).toEqual({ ...contact, next_meeting_date: start_time });
    expect(await ear.heard()).toEqual([]);
  },
  'Events | contact.updated: payload includes `custom_fields` and is a full representation, so a cleared value differs from an absent one':
    async () => {
      const contact = await created({ name: 'Ada Ito', ...everyWrite() });
      await using ear = await listen();
      const changed = await patched(contact.uri, { ...write('text', null), company: null });
      const [{ payload }] = await ear.heard();
      expect(payload).toEqual(changed);
      expect(valueOf(payload, 'text')).toBeNull();
      expect(payload.custom_fields).toHaveLength(7);
    },
  'Events | contact.deleted fires when a contact is removed; payload holds only the contact URI and a `deleted_at` timestamp; no custom fields':
    async () => {
      const { uri } = await created();
      await using ear = await listen();
      await sandbox.call('DELETE', uri);
      const [sent, ...more] = await ear.heard();
      expect(sent.payload).toEqual({ uri, deleted_at: expect.stringMatching(sixDigits) });
      expect([sent.event, sent.created_at, more]).toEqual(['contact.deleted', sent.payload.deleted_at, []]);
    },
  'Events | contact.created, contact.updated, contact.deleted: subscription scopes organization, user, group':
    async () => {
      await using organization = await listen();
      await using owner = await listen('user');
      await using member = await listen('user', sandbox.handles.users.member);
      await using group = await listen('group');
      const { uri } = await created();
      await patch(uri, { name: 'Ada' });
      await sandbox.call('DELETE', uri);
      const heard = async (ear: Subscriber) => (await ear.heard()).map(({ event }) => event).toSorted();
      // The contact belongs to the owner, who is not of the group. Deliveries of one moment have no order.
      for (const ear of [organization, owner]) expect(await heard(ear)).toEqual(contactEvents.toSorted());
      for (const ear of [member, group]) expect(await heard(ear)).toEqual([]);
    },
});

// Meeting dates

rows({
  'Contact | `next_meeting_date` (string, O, N): next upcoming meeting; null right after creation': async () => {
    const contact = await created();
    const { email } = contact.emails[0];
    const expectDate = async (date: string | null) => expect((await shown(contact.uri)).next_meeting_date).toBe(date);
    const [one, two] = [(await booking(email)).body.resource, (await booking(email)).body.resource];
    expect(contact.next_meeting_date).toBeNull();
    await expectDate((await shown(one.event)).start_time);
    await sandbox.control('POST', '/invitees/cancel', { uri: one.uri });
    await expectDate((await shown(two.event)).start_time);
    await sandbox.control('POST', '/invitees/cancel', { uri: two.uri });
    await expectDate(null);
  },
  'Contact | `last_meeting_date` (string, O, N): latest meeting held; null right after creation': async () => {
    await using own = await openTestSandbox({ contacts: 0, bookings: 0 });
    const invitee = { email: 'bo@example.test', name: 'Bo Xu', timezone: 'UTC' };
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const body = { event_type: own.handles.event_types.solo, start_time: `${day}T10:00:00Z`, invitee };
    await answers(own.call('POST', '/invitees', { body }), 201);
    const date = `${day}T10:00:00.000000Z`;
    const [before] = (await own.call('GET', '/contacts')).body.collection;
    expect(before).toMatchObject({ last_meeting_date: null, next_meeting_date: date });
    await own.control('POST', '/clock', { advance: '72h' });
    const after = { ...before, next_meeting_date: null, last_meeting_date: date, last_interaction_date: date };
    expect((await own.call('GET', '/contacts')).body.collection).toEqual([after]);
  },
});
