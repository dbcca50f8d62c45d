// Conformance: making, changing and removing contacts, and what subscribers hear of it.
import { afterAll, beforeAll, expect } from 'vitest';
import { customFieldValueFor } from '#schemas/custom-field.ts';
import { createContact } from '#src/sandbox/world/contacts/contacts.ts';
import { openSubscriber, type Subscriber } from '../harness/sandbox/subscriber.ts';
import { openTestSandbox, type Answer, type CallOptions, type TestSandbox } from '../harness/sandbox.ts';
import { answers, sixDigits, strange } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
let fields: Readonly<
  Record<string, { readonly uri: string; readonly uuid: string; readonly options: readonly string[] }>
>;

beforeAll(async () => {
  sandbox = await openTestSandbox({ contacts: 12, bookings: 0, rateLimits: false });
  const { body } = await sandbox.call('GET', '/contacts/custom_field_definitions');
  fields = Object.fromEntries(
    body.collection.map((one: Definition) => [
      one.retired_at === null ? one.field_type : 'retired',
      { uri: one.uri, uuid: one.uri.split('/').at(-1), options: one.options?.map(({ uuid }) => uuid) ?? [] },
    ]),
  );
});
afterAll(() => sandbox[Symbol.asyncDispose]());

interface Definition {
  readonly uri: string;
  readonly field_type: string;
  readonly retired_at: string | null;
  readonly options?: readonly { readonly uuid: string }[];
}

const scalars = ['text', 'single_select', 'number', 'currency', 'date'] as const;
let last = 0;
const newEmails = (count = 1) =>
  Array.from({ length: count }, (_, index) => ({ email: `new.${(last += 1)}@example.test`, is_primary: index === 0 }));
const newPhones = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ phone_number: `+1202555010${index}` }));

const post = (body: object, more: CallOptions = {}): Promise<Answer> =>
  sandbox.call('POST', '/contacts', { body: { emails: newEmails(), ...body }, ...more });
const patch = (uri: string, body: object): Promise<Answer> => sandbox.call('PATCH', uri, { body });

async function created(body: object = {}) {
  const { status, body: answer } = await post(body);
  expect(status).toBe(201);
  return answer.resource;
}
async function patched(uri: string, body: object) {
  const { status, body: answer } = await patch(uri, body);
  expect(status).toBe(200);
  return answer.resource;
}
const uuidOf = (type: string): string => fields[type]?.uuid ?? '';
const goodValue = (type: string): unknown =>
  ({
    text: 'Prefers mornings',
    single_select: fields['single_select']?.options[0],
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
const everyWrite = () => ({
  custom_fields: [...scalars, 'tags', 'invitee_question'].map((type) => ({
    uuid: uuidOf(type),
    value: goodValue(type),
  })),
});

/** Refused as a whole: 400 with the parameter, and nothing is made or changed. */
async function refuses(answering: () => Promise<Answer>, parameter: RegExp): Promise<void> {
  const before = (await sandbox.control('GET', '/state')).body.contacts;
  const { status, body } = await answering();
  expect(status).toBe(400);
  expect(body.details.map((detail: { parameter: string }) => detail.parameter)).toContainEqual(
    expect.stringMatching(parameter),
  );
  expect((await sandbox.control('GET', '/state')).body.contacts).toEqual(before);
}

// POST /contacts

rows({
  'POST /contacts | create a contact': async () => {
    const contact = await created({ name: 'Ada Ito' });
    await answers(sandbox.call('GET', contact.uri), 200, { resource: contact });
    expect((await sandbox.call('GET', '/contacts', { query: { sort: 'created_at:desc' } })).body.collection[0]).toEqual(
      contact,
    );
  },
  "POST /contacts | takes the contact's own fields besides `custom_fields` | A9": async () => {
    const details = {
      emails: newEmails(2),
      phone_numbers: newPhones(2),
      name: 'Ada Ito',
      timezone: 'Asia/Tokyo',
      job_title: 'Founder',
      company: 'Harbor & Pine',
      country: 'JP',
      state: 'Osaka',
      city: 'Osaka',
      linkedin: 'https://network.example.test/in/ada',
    };
    expect(await created(details)).toMatchObject(details);
    for (const wrong of [{ name: 7 }, { country: 'Japan' }, { timezone: 'Mars/Base' }, { linkedin: 'ada' }])
      await refuses(() => post(wrong), /^(name|country|timezone|linkedin)$/);
  },
  'Contact | `country`: two-letter code, ISO 3166-1 alpha-2, on writes too': async () => {
    const { uri } = await created({ country: 'AX' });
    for (const country of ['ZZ', 'jp', 'UK', 'EU', '', 'JPN']) {
      await refuses(() => post({ country }), /^country$/);
      await refuses(() => patch(uri, { country }), /^country$/);
    }
    expect(await patched(uri, { country: null })).toMatchObject({ country: null });
  },
  'POST /contacts | a field that contacts do not have is refused | A9': () => answers(post({ nickname: 'A' }), 400),
  'POST /contacts | accepts `custom_fields` entries with only `uuid` and `value`': async () => {
    const contact = await created(everyWrite());
    for (const type of [...scalars, 'tags', 'invitee_question'])
      expect(valueOf(contact, type)).toEqual(goodValue(type));
  },
  'POST /contacts | `label` and schema fields are ignored on write': async () => {
    const [field] = write('text').custom_fields;
    const extras = {
      label: 'Another',
      field_type: 'number',
      options: [],
      currency: 'USD',
      uri: 'https://elsewhere.test/1',
    };
    const contact = await created({ custom_fields: [{ ...field, ...extras }] });
    expect(contact.custom_fields).toContainEqual({
      uri: fields['text']?.uri,
      value: goodValue('text'),
      label: 'Notes',
    });
  },
  'Scopes | contacts:write: create, update, delete contacts': async () => {
    const { users } = sandbox.handles;
    sandbox.tokens.add('oat_contacts_reader', { kind: 'oauth', user: users.owner, scopes: ['contacts:read'] });
    sandbox.tokens.add('oat_contacts_writer', { kind: 'oauth', user: users.owner, scopes: ['contacts:write'] });
    const { uri } = await created();
    const body = { emails: newEmails() };
    for (const [method, path] of [
      ['POST', '/contacts'],
      ['PATCH', uri],
      ['DELETE', uri],
    ] as const)
      await answers(sandbox.call(method, path, { token: 'oat_contacts_reader', body }), 403, {
        title: 'Insufficient scope',
        required_scopes: ['contacts:write'],
      });
    const token = 'oat_contacts_writer';
    await answers(post({}, { token }), 201);
    await answers(sandbox.call('PATCH', uri, { token, body: { name: 'X' } }), 200);
    await answers(sandbox.call('DELETE', uri, { token }), 204);
  },
  'Contact | exactly one entry of `emails` has is_primary true': async () => {
    const [one, two] = newEmails(2);
    for (const emails of [[], [{ ...one, is_primary: false }], [one, { ...two, is_primary: true }]])
      await refuses(() => post({ emails }), /^emails/);
    const { uri } = await created();
    await refuses(() => patch(uri, { emails: [{ ...one, is_primary: false }] }), /^emails/);
    expect(
      (
        await patched(uri, {
          emails: [
            { ...one, is_primary: false },
            { ...two, is_primary: true },
          ],
        })
      ).emails,
    ).toHaveLength(2);
  },
  'POST /contacts | where no address says whether it is the primary one, the first is | A9': async () => {
    const emails = newEmails(2).map(({ email }) => ({ email }));
    expect((await created({ emails })).emails.map((one: { is_primary: boolean }) => one.is_primary)).toEqual([
      true,
      false,
    ]);
  },
  'Limits | emails per contact: max 10': async () => {
    expect((await created({ emails: newEmails(10) })).emails).toHaveLength(10);
    await refuses(() => post({ emails: newEmails(11) }), /^emails$/);
  },
  'Limits | phone numbers per contact: max 10': async () => {
    expect((await created({ phone_numbers: newPhones(10) })).phone_numbers).toHaveLength(10);
    await refuses(() => post({ phone_numbers: newPhones(11) }), /^phone_numbers$/);
  },
  'POST /contacts | an address that another contact has is refused with 400 | A18': async () => {
    const emails = newEmails(2);
    const { uri } = await created({ emails });
    await refuses(() => post({ emails: [{ email: emails[1]?.email, is_primary: true }] }), /^emails\.0\.email$/);
    const other = await created();
    await refuses(
      () => patch(other.uri, { emails: [...other.emails, { ...emails[0], is_primary: false }] }),
      /^emails\.1\.email$/,
    );
    expect((await patched(uri, { emails: emails.slice(0, 1) })).emails).toEqual(emails.slice(0, 1));
    expect(await patched(other.uri, { emails: [{ ...emails[1], is_primary: true }] })).toMatchObject({
      uri: other.uri,
    });
  },
  'States fact 4 | a newly created contact has null first_email_date, last_email_date, next_meeting_date, last_meeting_date and last_interaction_date':
    async () => {
      expect(await created()).toMatchObject({
        first_email_date: null,
        last_email_date: null,
        next_meeting_date: null,
        last_meeting_date: null,
        last_interaction_date: null,
      });
    },
});

// Custom field values

rows({
  'Value of a custom field | `boolean`: boolean, in the table of values only; no definition has this type, and none can be added | A8':
    async () => {
      const fits = customFieldValueFor({ field_type: 'boolean', options: null });
      expect([true, false, 'true', 1].map((value) => fits.safeParse(value).success)).toEqual([
        true,
        true,
        false,
        false,
      ]);
      const added = await sandbox.control('POST', '/custom_fields', { label: 'Newsletter', field_type: 'boolean' });
      expect(added).toMatchObject({ status: 400, body: { details: [{ parameter: 'field_type' }] } });
    },
  'Value of a custom field | scalar fields reject array values': async () => {
    for (const type of scalars) {
      await refuses(() => post(write(type, [goodValue(type)])), /^custom_fields\.0\.value$/);
      await refuses(() => post(write(type, [])), /^custom_fields\.0\.value$/);
    }
  },
  'Value of a custom field | `tags` rejects non-array values': async () => {
    for (const value of ['one', 7, true, null, { 0: 'one' }])
      await refuses(() => post(write('tags', value)), /^custom_fields\.0\.value$/);
  },
  'Value of a custom field | `tags` are free-form: any array of strings is taken': async () => {
    const tags = ['no vocabulary', '', 'ünïcode'];
    expect(valueOf(await created(write('tags', tags)), 'tags')).toEqual(tags);
    await refuses(() => post(write('tags', ['one', 2])), /value$/);
  },
  "Value of a custom field | `single_select` takes the `uuid` of one of the definition's options, and nothing else":
    async () => {
      for (const uuid of fields['single_select']?.options ?? [])
        expect(valueOf(await created(write('single_select', uuid)), 'single_select')).toBe(uuid);
      for (const value of [strange, 'Enterprise', '', 1])
        await refuses(() => post(write('single_select', value)), /value$/);
    },
  'Writes rule | values are validated against their definitions': async () => {
    const wrong: readonly (readonly [string, unknown])[] = [
      ['text', 7],
      ['number', '7'],
      ['currency', 10.5],
      ['date', '2026-02-30'],
      ['date', '28.02.2026'],
      ['text', { nested: true }],
      ['invitee_question', { nested: true }],
    ];
    for (const [type, value] of wrong) await refuses(() => post(write(type, value)), /^custom_fields\.0\.value$/);
    await refuses(() => post({ custom_fields: [{ uuid: uuidOf('text') }] }), /^custom_fields\.0\.value$/);
  },
  'Writes rule | a custom-field write that references an unknown field `uuid` is rejected': async () => {
    const { uri } = await created();
    for (const body of [{ custom_fields: [{ uuid: strange, value: 'x' }] }, { name: 'Y', ...write('none', 'x') }]) {
      await refuses(() => post(body), /^custom_fields\.0\.uuid$/);
      await refuses(() => patch(uri, body), /^custom_fields\.0\.uuid$/);
    }
  },
  'Writes rule | a custom-field write that references a retired field `uuid` is rejected': async () => {
    const { uri } = await created();
    await refuses(() => post(write('retired', 'x')), /^custom_fields\.0\.uuid$/);
    await refuses(() => patch(uri, write('retired', null)), /^custom_fields\.0\.uuid$/);
  },
  'Writes rule | a field without a `uuid` is named by its `uri`, as it was read | A18': async () => {
    const from = await created(everyWrite());
    const copy = await created({ custom_fields: from.custom_fields });
    expect(copy.custom_fields).toEqual(from.custom_fields);
    const { uri } = await created();
    expect(
      valueOf(await patched(uri, { custom_fields: [{ uuid: null, uri: fields['text']?.uri, value: 'x' }] }), 'text'),
    ).toBe('x');
    await refuses(
      () => patch(uri, { custom_fields: [{ uri: `${sandbox.handles.base_url}/${strange}`, value: 1 }] }),
      /^custom_fields\.0\.uri$/,
    );
    for (const nameless of [{}, { uri: 7 }, { label: 'Notes' }])
      await refuses(() => patch(uri, { custom_fields: [{ ...nameless, value: 'x' }] }), /^custom_fields\.0\.uuid$/);
  },
  'Writes rule | a field is named by its `uuid` or by its whole URI, once | A18': async () => {
    const whole = [{ uuid: fields['number']?.uri, value: 5 }];
    expect(valueOf(await created({ custom_fields: whole }), 'number')).toBe(5);
    await refuses(
      () => post({ custom_fields: [...whole, ...write('number').custom_fields] }),
      /^custom_fields\.1\.uuid$/,
    );
  },
  'POST /contacts | an address is the same in any letter case, and is on a contact once | A18': async () => {
    const email = newEmails()[0]?.email ?? '';
    const { uri } = await created({ emails: [{ email: email.replace('new', 'New') }] });
    await refuses(() => post({ emails: [{ email: email.toUpperCase() }] }), /^emails\.0\.email$/);
    const [seeded] = (await sandbox.call('GET', '/contacts')).body.collection;
    await refuses(() => post({ emails: [{ email: seeded.emails[0].email.toUpperCase() }] }), /^emails\.0\.email$/);
    const other = newEmails()[0]?.email ?? '';
    await refuses(() => post({ emails: [{ email: other }, { email: other.toUpperCase() }] }), /^emails\.1\.email$/);
    await refuses(() => patch(uri, { emails: [{ email: other }, { email: other }] }), /^emails\.1\.email$/);
    expect((await patched(uri, { emails: [{ email }] })).emails).toEqual([{ email, is_primary: true }]);
  },
  'POST /invitees | who books with another letter case is the same contact | A18': async () => {
    const email = newEmails()[0]?.email ?? '';
    const { uri } = await created({ emails: [{ email }] });
    const before = (await sandbox.control('GET', '/state')).body.contacts.length;
    const start_time = new Date(sandbox.service.clock.nowMs() + 86_400_000).toISOString();
    const invitee = { email: email.toUpperCase(), name: 'Ada Ito', timezone: 'UTC' };
    const body = { event_type: sandbox.handles.event_types.solo, start_time, invitee };
    await answers(sandbox.call('POST', '/invitees', { body }), 201, { resource: { email: invitee.email } });
    expect((await sandbox.control('GET', '/state')).body.contacts).toHaveLength(before);
    expect(Date.parse((await sandbox.call('GET', uri)).body.resource.next_meeting_date)).toBe(Date.parse(start_time));
    const found = async (asked: string) => (await sandbox.call('GET', '/contacts', { query: { email: asked } })).body;
    expect((await found(email)).collection).toHaveLength(1);
    expect((await found(invitee.email)).collection).toHaveLength(0);
  },
  'POST and PATCH /contacts | null for a list says the same as leaving it out | A29': async () => {
    const contact = await created({ phone_numbers: null, custom_fields: null });
    expect(contact.phone_numbers).toEqual([]);
    const full = await patched(contact.uri, { phone_numbers: newPhones(2), ...everyWrite() });
    const nothing = { phone_numbers: null, custom_fields: null, emails: null };
    expect(await patched(contact.uri, nothing)).toEqual(full);
    expect(await patched(contact.uri, { ...nothing, name: 'Ada' })).toEqual({
      ...full,
      name: 'Ada',
      updated_at: expect.any(String),
    });
  },
});

// PATCH /contacts/<contact_uuid>

rows({
  'PATCH /contacts/<contact_uuid> | update a contact': async () => {
    const contact = await created({ name: 'Ada Ito', city: 'Osaka' });
    const changed = await patched(contact.uri, { name: 'Ada Sato', phone_numbers: newPhones(1), city: null });
    const expected = {
      ...contact,
      name: 'Ada Sato',
      phone_numbers: newPhones(1),
      city: null,
      updated_at: changed.updated_at,
    };
    expect(changed).toEqual(expected);
    expect((await sandbox.call('GET', contact.uri)).body.resource).toEqual(expected);
    expect(changed.updated_at > contact.updated_at).toBe(true);
    await answers(patch(`/contacts/${strange}`, { name: 'X' }), 404);
  },
  'PATCH /contacts/<contact_uuid> | a seeded contact is updated like any other': async () => {
    const [seeded] = (await sandbox.call('GET', '/contacts')).body.collection;
    const changed = await patched(seeded.uri, { job_title: 'Pilot' });
    expect(changed).toEqual({ ...seeded, job_title: 'Pilot', updated_at: changed.updated_at });
    expect((await sandbox.call('GET', '/contacts')).body.collection[0]).toEqual(changed);
    const newest = await sandbox.call('GET', '/contacts', { query: { sort: 'updated_at:desc' } });
    expect(newest.body.collection[0]).toEqual(changed);
  },
  'PATCH /contacts/<contact_uuid> | `custom_fields` use merge semantics: include only changed fields': async () => {
    const contact = await created(everyWrite());
    const changed = await patched(contact.uri, write('number', 9));
    expect(valueOf(changed, 'number')).toBe(9);
    for (const type of [...scalars, 'tags', 'invitee_question'].filter((one) => one !== 'number'))
      expect(valueOf(changed, type)).toEqual(goodValue(type));
  },
  'PATCH /contacts/<contact_uuid> | `value: null` clears a scalar': async () => {
    const contact = await created(everyWrite());
    for (const type of scalars) expect(valueOf(await patched(contact.uri, write(type, null)), type)).toBeNull();
    expect(valueOf((await sandbox.call('GET', contact.uri)).body.resource, 'tags')).toEqual(goodValue('tags'));
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
    const [seeded] = (await sandbox.call('GET', '/contacts', { query: { sort: 'updated_at:asc' } })).body.collection;
    for (const { uri } of [await created(), seeded]) {
      await answers(sandbox.call('DELETE', uri), 204, undefined);
      for (const method of ['GET', 'DELETE']) await answers(sandbox.call(method, uri), 404);
      const { collection } = (await sandbox.call('GET', '/contacts', { query: { count: 100 } })).body;
      expect(collection.map((one: { uri: string }) => one.uri)).not.toContain(uri);
    }
  },
});

// Events

const contactEvents = ['contact.created', 'contact.updated', 'contact.deleted'] as const;

const listen = (scope: 'organization' | 'user' | 'group' = 'organization', user?: string): Promise<Subscriber> =>
  openSubscriber(sandbox, { events: contactEvents, scope, ...(user === undefined ? {} : { user }) });

const names = (heard: readonly { event: string }[]): readonly string[] => heard.map(({ event }) => event);

/** After earlier deliveries have arrived: deliveries of one moment have no order. */
async function oneByOne(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) {
    await step();
    await sandbox.dispatcher.settled();
  }
}

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
    const contact = await created({ name: 'Ada Ito' });
    const heard = await ear.heard();
    expect(names(heard)).toEqual(['contact.created']);
    expect(heard[0].payload).toEqual(contact);
    expect(heard[0].created_at).toBe(contact.created_at);
  },
  'Events | contact.created fires when a contact is created through scheduling': async () => {
    await using ear = await listen();
    const email = newEmails()[0]?.email ?? '';
    await answers(booking(email), 201);
    const heard = await ear.heard();
    expect(names(heard)).toEqual(['contact.created']);
    expect(heard[0].payload).toMatchObject({
      emails: [{ email, is_primary: true }],
      name: 'Bo Xu',
      timezone: 'Europe/Lisbon',
      next_meeting_date: null,
      last_interaction_date: null,
    });
  },
  'Events | contact.created fires when a contact is created through manual entry': async () => {
    await using ear = await listen();
    const { organization, users } = sandbox.handles;
    const details = { emails: newEmails() };
    createContact(sandbox.service, { organization, owner: users.member, source: 'manual', details });
    const heard = await ear.heard();
    expect(names(heard)).toEqual(['contact.created']);
    expect(heard[0].payload).toMatchObject(details);
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
    const changed = await patched(contact.uri, { company: 'Blue Fjord' });
    const heard = await ear.heard();
    expect(names(heard)).toEqual(['contact.updated']);
    expect(heard[0].created_at).toBe(changed.updated_at);
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
    const meeting = (await sandbox.call('GET', body.resource.event)).body.resource;
    const met = (await sandbox.call('GET', contact.uri)).body.resource;
    expect(met).toEqual({ ...contact, next_meeting_date: meeting.start_time });
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
      const heard = await ear.heard();
      expect(names(heard)).toEqual(['contact.deleted']);
      expect(heard[0].payload).toEqual({ uri, deleted_at: expect.stringMatching(sixDigits) });
      expect(heard[0].created_at).toBe(heard[0].payload.deleted_at);
    },
  'Events | contact.created, contact.updated, contact.deleted: subscription scopes organization, user, group':
    async () => {
      await using organization = await listen();
      await using owner = await listen('user');
      await using member = await listen('user', sandbox.handles.users.member);
      await using group = await listen('group');
      const { uri } = await created();
      await oneByOne([() => patch(uri, { name: 'Ada' }), () => sandbox.call('DELETE', uri)]);
      for (const ear of [organization, owner])
        expect(names(await ear.heard()).toSorted()).toEqual([...contactEvents].toSorted());
      // The contact belongs to the owner, who is not of the group.
      for (const ear of [member, group]) expect(await ear.heard()).toEqual([]);
    },
});

// Meeting dates

rows({
  'Contact | `next_meeting_date` (string, O, N): next upcoming meeting; null right after creation': async () => {
    const contact = await created();
    expect(contact.next_meeting_date).toBeNull();
    const bookings = [await booking(contact.emails[0].email), await booking(contact.emails[0].email)];
    const [first, second] = bookings.map(
      ({ body }) => sandbox.service.state.scheduledEvents.get(body.resource.event)?.start_time,
    );
    const dateNow = async () => (await sandbox.call('GET', contact.uri)).body.resource.next_meeting_date;
    expect(await dateNow()).toBe(first);
    await sandbox.control('POST', '/invitees/cancel', { uri: bookings[0]?.body.resource.uri });
    expect(await dateNow()).toBe(second);
    await sandbox.control('POST', '/invitees/cancel', { uri: bookings[1]?.body.resource.uri });
    expect(await dateNow()).toBeNull();
  },
  'Contact | `last_meeting_date` (string, O, N): latest meeting held; null right after creation': async () => {
    await using own = await openTestSandbox({ contacts: 0, bookings: 0 });
    const invitee = { email: 'bo@example.test', name: 'Bo Xu', timezone: 'UTC' };
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const body = { event_type: own.handles.event_types.solo, start_time: `${day}T10:00:00Z`, invitee };
    await answers(own.call('POST', '/invitees', { body }), 201);
    const contactNow = async () => (await own.call('GET', '/contacts')).body.collection[0];
    const before = await contactNow();
    expect(before).toMatchObject({ last_meeting_date: null, next_meeting_date: `${day}T10:00:00.000000Z` });
    await own.control('POST', '/clock', { advance: '72h' });
    expect(await contactNow()).toEqual({
      ...before,
      next_meeting_date: null,
      last_meeting_date: before.next_meeting_date,
      last_interaction_date: before.next_meeting_date,
    });
  },
});
