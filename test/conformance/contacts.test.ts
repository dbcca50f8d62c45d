// Conformance: reading contacts and their custom field definitions.
import { expect } from 'vitest';
import type { ContactResource, CustomFieldDefinitionResource } from '#schemas/resources/contact.ts';
import type { Answer, CallOptions } from '../harness/sandbox.ts';
import { everyPage } from '../harness/sandbox/lists.ts';
import {
  answers,
  asksFor,
  denied,
  documentedBody,
  invalid,
  lacking,
  noAccess,
  sixDigits,
  strange,
  tokenWith,
} from './answers.ts';
import { openForRows, rows } from './rows.ts';

const size = 240;
/** All contacts of the organization as GET /contacts shows them, oldest first. */
let all: Contact[];
/** One of them that says everything. */
let someone: Contact & Readonly<Record<TextField, string>>;

type Contact = ContactResource & { readonly custom_fields: NonNullable<ContactResource['custom_fields']> };
const texts = ['name', 'timezone', 'job_title', 'company', 'country', 'state', 'city', 'linkedin'] as const;
type TextField = (typeof texts)[number];

const sandbox = openForRows({ contacts: size, bookings: 0, rateLimits: false }, async (opened) => {
  all = await everyPage(opened, '/contacts?count=100');
  someone = all.find(
    (one) => texts.every((field) => one[field] !== null) && one.phone_numbers.length > 1 && one.emails.length > 1,
  ) as typeof someone;
});

const list = (query: CallOptions['query'] = {}, more: CallOptions = {}): Promise<Answer> =>
  sandbox.call('GET', '/contacts', { query, ...more });
const rowsOf = async (query: CallOptions['query'] = {}): Promise<Contact[]> => (await list(query)).body.collection;

const urisOf = (contacts: readonly Contact[]): readonly string[] => contacts.map(({ uri }) => uri);
const found = async (query: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  urisOf(await everyPage(sandbox, `/contacts?${new URLSearchParams({ ...query, count: '100' })}`));
const has = (part: string) => (value: unknown) =>
  typeof value === 'string' && value.toLowerCase().includes(part.toLowerCase());

/** Shows that the field is a string or null, and that both are seen. */
function isNullableText(field: TextField, form: RegExp = /./): void {
  const values = all.map((contact) => contact[field]);
  expect(values).toContain(null);
  const written = values.filter((value) => value !== null);
  expect(written.length).toBeGreaterThan(size / 4);
  for (const value of written) expect(value).toMatch(form);
}

rows({
  'Contact | `uri` (string, R): unique reference': async () => {
    expect(new Set(urisOf(all)).size).toBe(size);
    expect((await sandbox.call('GET', someone.uri)).body).toEqual({ resource: someone });
  },
  'Contact | `emails` (list of Email, R): at most 10; exactly one entry has is_primary true': () => {
    for (const { emails } of all) {
      expect(emails.length).toBeLessThanOrEqual(10);
      expect(emails.filter(({ is_primary }) => is_primary)).toHaveLength(1);
    }
    expect(new Set(all.flatMap(({ emails }) => emails.map(({ email }) => email))).size).toBeGreaterThan(size);
  },
  'Contact | `created_at` (string, R): timestamp': () => {
    for (const { created_at } of all) expect(created_at).toMatch(sixDigits);
  },
  'Contact | `updated_at` (string, R): timestamp': () => {
    for (const { created_at, updated_at } of all) {
      expect(updated_at).toMatch(sixDigits);
      expect(updated_at >= created_at).toBe(true);
    }
  },
  'Contact | `name` (string, O, N): human-readable name': () => isNullableText('name', /^\S+ \S+$/),
  'Contact | `phone_numbers` (list of PhoneNumber, O): at most 10': () => {
    const counts = new Set(all.map(({ phone_numbers }) => phone_numbers.length));
    expect([...counts].toSorted()).toEqual([0, 1, 2]);
  },
  'Contact | `timezone` (string, O, N): time zone used to present time (IANA name)': () => {
    isNullableText('timezone');
    for (const { timezone } of all)
      if (timezone !== null) expect(() => new Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow();
  },
  'Contact | `job_title` (string, O, N)': () => isNullableText('job_title'),
  'Contact | `company` (string, O, N)': () => isNullableText('company'),
  'Contact | `country` (string, O, N): two-letter code, ISO 3166-1 alpha-2': () =>
    isNullableText('country', /^[A-Z]{2}$/),
  'Contact | `state` (string, O, N): state, province or region': () => isNullableText('state'),
  'Contact | `city` (string, O, N)': () => isNullableText('city'),
  'Contact | `linkedin` (string, O, N): URL of the profile on a professional networking site': () =>
    isNullableText('linkedin', /^https:\/\//),
  'Contact | `custom_fields` (list of ContactCustomField, O)': () => {
    for (const { custom_fields } of all)
      for (const field of custom_fields)
        expect(field).toEqual({ uri: expect.any(String), value: field.value, label: expect.any(String) });
  },
  'Contact | `first_email_date` and `last_email_date` (string, O, N): earliest and latest email exchanged': () => {
    const written = all.filter((contact) => contact.first_email_date !== null);
    expect(written.length).toBeGreaterThan(0);
    expect(written.length).toBeLessThan(size);
    for (const { first_email_date, last_email_date } of written)
      expect(Date.parse(String(first_email_date))).toBeLessThanOrEqual(Date.parse(String(last_email_date)));
  },
  'Conventions 5 | some contact timestamps carry no or three fractional digits': () => {
    const dates = all.map(({ last_email_date }) => last_email_date);
    for (const form of [/:\d\dZ$/, /:\d\d\.\d{3}Z$/]) expect(dates).toContainEqual(expect.stringMatching(form));
  },
  'Contact | `last_interaction_date` (string, O, N): latest email or meeting': () => {
    for (const contact of all) expect(contact.last_interaction_date).toBe(contact.last_email_date);
  },
  'Email | `email` (string, R), `is_primary` (boolean, R)': () => {
    for (const one of all.flatMap(({ emails }) => emails))
      expect(one).toEqual({ email: expect.stringMatching(/^\S+@\S+$/), is_primary: expect.any(Boolean) });
  },
  'PhoneNumber | `phone_number` (string, R)': () => {
    for (const one of all.flatMap(({ phone_numbers }) => phone_numbers))
      expect(one).toEqual({ phone_number: expect.stringMatching(/^\+\d+$/) });
  },
});

// Custom fields and their definitions.

type Definition = CustomFieldDefinitionResource;

async function definitions(): Promise<readonly Definition[]> {
  const { status, body } = await sandbox.call('GET', '/contacts/custom_field_definitions');
  expect(status).toBe(200);
  return body.collection;
}

async function definitionOf(type: string): Promise<Definition> {
  const definition = (await definitions()).find(({ field_type, retired_at }) => field_type === type && !retired_at);
  if (definition === undefined) throw new Error(`no definition of the type ${type}`);
  return definition;
}

/** Shows that contacts hold values in the field of this type, that each is right, and that some hold none. */
async function everyValue(type: string, holds: (value: unknown, definition: Definition) => boolean, unset = 'null') {
  const definition = await definitionOf(type);
  const fields = all.map(({ custom_fields }) => custom_fields.find(({ uri }) => uri === definition.uri));
  const values = fields.map((field) => field?.value).filter((value) => JSON.stringify(value) !== unset);
  expect(values.length).toBeGreaterThan(size / 2);
  expect(values.length).toBeLessThan(size);
  expect(values.filter((value) => !holds(value, definition))).toEqual([]);
}
const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';

rows({
  'ContactCustomField | `uri` (string, R): URI of the custom field definition': async () => {
    const uris = new Set((await definitions()).map(({ uri }) => uri));
    for (const { uri } of someone.custom_fields) expect(uris).toContain(uri);
  },
  "ContactCustomField | `value` (R, N): type depends on the definition's field_type": async () => {
    await everyValue('number', isNumber);
    await everyValue('text', isText);
  },
  'ContactCustomField | `label` (string, O): display name derived from the definition; read-only': async () => {
    const labels = new Map((await definitions()).map(({ uri, label }) => [uri, label]));
    for (const { uri, label } of someone.custom_fields) expect(label).toBe(labels.get(uri));
  },
  'Value of a custom field | `text`: string': () => everyValue('text', isText),
  "Value of a custom field | `single_select`: string equal to the `uuid` of one of the definition's options": () =>
    everyValue('single_select', (value, { options }) => options?.some(({ uuid }) => uuid === value) === true),
  'Value of a custom field | `number`: number': () => everyValue('number', isNumber),
  'Value of a custom field | `currency`: integer amount in minor units of the currency (currency code is held on the definition, not on the value)':
    () => everyValue('currency', (value, { currency }) => Number.isInteger(value) && currency?.length === 3),
  'Value of a custom field | `date`: string `YYYY-MM-DD`': () =>
    everyValue('date', (value) => /^\d{4}-\d\d-\d\d$/.test(String(value))),
  'Value of a custom field | `tags`: array of strings (free-form, no controlled vocabulary)': () =>
    everyValue('tags', (value) => Array.isArray(value) && value.every(isText), '[]'),
  'Custom field definition | named fields: `uri`, `label`, `field_type`, `created_at`, `updated_at`': async () => {
    const time = expect.stringMatching(sixDigits);
    const named = { uri: expect.any(String), label: expect.any(String), created_at: time, updated_at: time };
    for (const definition of await definitions()) expect(definition).toMatchObject(named);
  },
  'Custom field definition | `field_type` is one of `text`, `number`, `currency`, `tags`, `date`, `single_select`, `invitee_question`':
    async () => {
      const types = new Set((await definitions()).map(({ field_type }) => field_type));
      const seven = ['text', 'number', 'currency', 'tags', 'date', 'single_select', 'invitee_question'];
      expect([...types].toSorted()).toEqual(seven.toSorted());
    },
  'Custom field definition | type-specific metadata such as `options`, each option has a `uuid`': async () => {
    const { options = [] } = await definitionOf('single_select');
    expect(options.length).toBeGreaterThan(1);
    expect(new Set(options.map(({ uuid }) => uuid)).size).toBe(options.length);
  },
  'Custom field definition | type-specific metadata such as `currency`': async () =>
    expect((await definitionOf('currency')).currency).toMatch(/^[A-Z]{3}$/),
  'GET /contacts/custom_field_definitions | list custom field definitions': async () => {
    const first = await sandbox.call('GET', '/contacts/custom_field_definitions', { query: { count: 4 } });
    expect(first.body.collection).toHaveLength(4);
    const second = await sandbox.call('GET', first.body.pagination.next_page);
    const both = [...first.body.collection, ...second.body.collection];
    expect(both).toEqual((await definitions()).slice(0, 8));
  },
  'GET /contacts/custom_field_definitions | retired definitions are listed, with `retired_at` | A15': async () => {
    const retired = (await definitions()).filter(({ retired_at }) => retired_at !== null);
    expect(retired).toHaveLength(1);
    expect(retired[0]?.retired_at).toMatch(sixDigits);
  },
  'GET /contacts/custom_field_definitions/<uuid> | retrieve one definition': async () => {
    for (const definition of await definitions())
      await answers(sandbox.call('GET', definition.uri), 200, { resource: definition });
    await answers(sandbox.call('GET', `/contacts/custom_field_definitions/${strange}`), 404);
  },
  'Authentication 3 | custom fields on contacts reuse contacts:read; no new scopes exist for them': async () => {
    const { uri } = await definitionOf('text');
    await asksFor(sandbox, 'contacts:read', ['/contacts/custom_field_definitions', uri]);
  },
});

// GET /contacts

const byUpdate = (): readonly Contact[] => all.toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1));

const texted = (field: TextField, holds: (value: unknown) => boolean): readonly string[] =>
  urisOf(all.filter((contact) => holds(contact[field])));

/** Two values that contacts have in this field. */
function twoOf(field: TextField): readonly [string, string] {
  const other = all.map((contact) => contact[field]).find((value) => value !== null && value !== someone[field]);
  return [someone[field], String(other)];
}

/** Whole, and two of which either is enough; a part is not. */
async function matchesExactly(field: 'timezone' | 'country' | 'state', part: string): Promise<void> {
  const [one, other] = twoOf(field);
  expect(await found({ [field]: one })).toEqual(texted(field, (value) => value === one));
  const either = texted(field, (value) => value === one || value === other);
  expect(await found({ [field]: `${one},${other}` })).toEqual(either);
  expect(await found({ [field]: part })).toEqual(texted(field, (value) => value === part));
}

/** Whole, in part, and two parts of which either is enough. */
async function matchesInPart(field: 'name' | 'job_title' | 'company' | 'city'): Promise<void> {
  const [one, other] = twoOf(field);
  const [part, otherPart] = [one.slice(1, 4).trim(), other.slice(0, 3).trim()];
  expect(await found({ [field]: one })).toEqual(texted(field, has(one)));
  expect(await found({ [field]: part })).toEqual(texted(field, has(part)));
  const either = texted(field, (value) => has(part)(value) || has(otherPart)(value));
  expect(await found({ [field]: `${part},${otherPart}` })).toEqual(either);
  expect(await found({ [field]: `${part}, ,no such text` })).toEqual(texted(field, has(part)));
  expect(await found({ [field]: 'no such text' })).toEqual([]);
}

rows({
  'GET /contacts | returns a collection of contacts': async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['collection', 'pagination']);
    expect(body.collection).toEqual(all.slice(0, 20));
  },
  'GET /contacts | required scope: `contacts:read`': async () => {
    await answers(list({}, { as: 'no_scopes' }), 403, lacking('contacts:read'));
    const token = tokenWith(sandbox, ['contacts:read'], sandbox.handles.users.admin);
    await answers(list({}, { token }), 200);
  },
  'Scopes | contacts:write implicitly includes contacts:read': async () => {
    const token = tokenWith(sandbox, ['contacts:write'], sandbox.handles.users.admin);
    for (const path of ['/contacts', someone.uri, '/contacts/custom_field_definitions'])
      await answers(sandbox.call('GET', path, { token }), 200);
  },
  'GET /contacts | `sort`: comma-separated list of `<field>:<direction>`': async () => {
    const two = await rowsOf({ sort: 'created_at:asc,updated_at:desc', count: 100 });
    const other = await rowsOf({ sort: 'updated_at:desc,created_at:asc', count: 100 });
    expect([two, other]).toEqual([all.slice(0, 100), byUpdate().toReversed().slice(0, 100)]);
  },
  'GET /contacts | `sort` takes the fields `created_at` and `updated_at`': async () => {
    expect(await rowsOf({ sort: 'created_at:asc' })).toEqual(all.slice(0, 20));
    expect(await rowsOf({ sort: 'updated_at:asc' })).toEqual(byUpdate().slice(0, 20));
    await answers(list({ sort: 'name:asc' }), 400);
  },
  'GET /contacts | `sort` takes the directions `asc` and `desc`': async () => {
    expect(await rowsOf({ sort: 'created_at:desc' })).toEqual(all.toReversed().slice(0, 20));
    for (const sort of ['created_at:up', 'created_at', 'created_at:asc,updated_at'])
      await answers(list({ sort }), 400, { details: [{ parameter: expect.stringMatching(/^sort/) }] });
  },
  'GET /contacts | `email`: exact match; comma-separated list': async () => {
    const addresses = someone.emails.map(({ email }) => email);
    for (const email of addresses) expect(await found({ email })).toEqual([someone.uri]);
    const other = all.find(({ uri }) => uri !== someone.uri) as Contact;
    const both = `${addresses[0]},${other.emails[0]?.email}`;
    expect((await found({ email: both })).toSorted()).toEqual([someone.uri, other.uri].toSorted());
    expect(await found({ email: String(addresses[0]).slice(1) })).toEqual([]);
  },
  'GET /contacts | a `phone_number` whose plus was not encoded, and so is a space, is found | A17': async () => {
    const [one, two] = someone.phone_numbers.map(({ phone_number }) => phone_number);
    const found = async (query: string) =>
      (await sandbox.call('GET', `/contacts?phone_number=${query}`)).body.collection;
    expect(await found(`${one}`)).toEqual([someone]);
    expect(await found(`+1,${two}`)).toEqual([someone]);
    expect(await found(`${one?.slice(1)}`)).toEqual([]);
  },
  'GET /contacts | `phone_number`: exact match; comma-separated list': async () => {
    const numbers = someone.phone_numbers.map(({ phone_number }) => phone_number);
    for (const phone_number of numbers) expect(await found({ phone_number })).toEqual([someone.uri]);
    expect(await found({ phone_number: numbers.join(',') })).toEqual([someone.uri]);
    expect(await found({ phone_number: String(numbers[0]).slice(0, -1) })).toEqual([]);
  },
  'GET /contacts | `timezone`: exact match on IANA time zone names; comma-separated list': () =>
    matchesExactly('timezone', someone.timezone.slice(0, -1)),
  'GET /contacts | `country`: exact match on two-letter code; comma-separated list': () =>
    matchesExactly('country', someone.country.slice(0, 1)),
  'GET /contacts | `state`: exact match on state, province or region; comma-separated list': () =>
    matchesExactly('state', someone.state.slice(0, -1)),
  'GET /contacts | `name`: partial match; comma-separated, each segment matched independently': () =>
    matchesInPart('name'),
  'GET /contacts | `job_title`: partial match; comma-separated, each segment independent': () =>
    matchesInPart('job_title'),
  'GET /contacts | `company`: partial match; comma-separated, each segment independent': () => matchesInPart('company'),
  'GET /contacts | `city`: partial match; comma-separated, each segment independent': () => matchesInPart('city'),
  'GET /contacts | an exact match is one by characters, a partial one ignores case | A17': async () => {
    const email = String(someone.emails[0]?.email);
    expect(await found({ email: email.toUpperCase() })).toEqual([]);
    expect(await found({ country: someone.country.toLowerCase() })).toEqual([]);
    expect(await found({ name: someone.name.toUpperCase() })).toEqual(await found({ name: someone.name }));
  },
  'GET /contacts | filters of several kinds must all be met | A17': async () => {
    const { country, city, name } = someone;
    expect(await found({ country, city, name })).toContain(someone.uri);
    expect(await found({ country, city: 'no such text' })).toEqual([]);
    const email = String(someone.emails[0]?.email);
    expect(await found({ email, country })).toEqual([someone.uri]);
    expect(await found({ email, country: twoOf('country')[1] })).toEqual([]);
  },
  'GET /contacts | `count`: integer, default 20: number of rows to return': async () => {
    expect(await rowsOf()).toHaveLength(20);
    for (const count of [1, 37])
      expect((await list({ count })).body).toMatchObject({ collection: { length: count }, pagination: { count } });
    for (const count of ['two', '1.5', '-1', '']) await answers(list({ count }), 400, invalid('count'));
  },
  'Limits | count default: 20 on GET /contacts': async () =>
    expect((await list({ exclude: 'custom_fields' })).body.pagination.count).toBe(20),
  'Limits | the maximum of `count` is 100 | A6a': async () => {
    expect((await list({ count: 100 })).body.collection).toHaveLength(100);
    for (const count of [0, 101]) await answers(list({ count }), 400);
  },
  'GET /contacts | `page_token`: token for the next or previous portion of the collection': async () => {
    const first = (await list({ count: 7 })).body;
    const second = (await list({ count: 7, page_token: first.pagination.next_page_token })).body;
    expect(second.collection).toEqual(all.slice(7, 14));
    const back = (await list({ count: 7, page_token: second.pagination.previous_page_token })).body;
    expect(back.collection).toEqual(first.collection);
  },
  'GET /contacts | a `page_token` that is forged, of another order or older than a day is refused | A13': async () => {
    const { next_page_token: page_token } = (await list({ sort: 'updated_at:asc' })).body.pagination;
    for (const query of [{ page_token: 'forged' }, { page_token: '' }, { page_token, sort: 'updated_at:desc' }])
      await answers(list(query), 400, invalid('page_token'));
  },
  'GET /contacts | `exclude`: fields to omit; only `custom_fields` is supported': async () => {
    const without = all.slice(0, 20).map(({ custom_fields: _fields, ...rest }) => rest);
    expect(await rowsOf({ exclude: 'custom_fields' })).toEqual(without);
    await answers(list({ exclude: 'emails' }), 400, invalid('exclude'));
  },
  'GET /contacts | when `exclude` is absent all fields are returned': async () => {
    const fields = ['uri', 'emails', 'created_at', 'updated_at', 'phone_numbers', 'custom_fields', ...texts];
    const dates = ['first_email', 'last_email', 'next_meeting', 'last_meeting', 'last_interaction'];
    const every = [...fields, ...dates.map((name) => `${name}_date`)].toSorted();
    for (const contact of await rowsOf()) expect(Object.keys(contact).toSorted()).toEqual(every);
  },
  'GET /contacts | every contact in the collection carries `custom_fields` unless excluded; every defined custom field is present':
    async () => {
      const defined = (await definitions()).filter(({ retired_at }) => retired_at === null).map(({ uri }) => uri);
      for (const { custom_fields } of all) expect(custom_fields.map(({ uri }) => uri)).toEqual(defined);
    },
  'GET /contacts | unset scalars are `null` and unset tag lists are `[]`': async () => {
    const tags = await definitionOf('tags');
    const body = { emails: [{ email: 'unset@example.test', is_primary: true }] };
    const answer = await sandbox.call('POST', '/contacts', { as: 'enterprise', body });
    const { custom_fields } = answer.body.resource as Contact;
    expect(custom_fields).toHaveLength(7);
    for (const { label, value } of custom_fields) expect(value).toEqual(label === tags.label ? [] : null);
  },
  'GET /contacts | errors: 400': async () => {
    for (const query of ['nonsense=1', 'sort=x', 'count=x'])
      await answers(sandbox.call('GET', `/contacts?${query}`), 400, {
        title: 'Internal Server Error',
        details: [{ message: expect.any(String) }],
      });
  },
  'GET /contacts | errors: 401': () => answers(list({}, { as: null }), 401, { title: 'Internal Server Error' }),
  'GET /contacts/<contact_uuid> | retrieve one contact': async () => {
    for (const contact of all.slice(0, 5)) await answers(sandbox.call('GET', contact.uri), 200, { resource: contact });
    const { body } = await sandbox.call('GET', someone.uri, { query: { exclude: 'custom_fields' } });
    expect(body.resource).not.toHaveProperty('custom_fields');
  },
  'Errors | 404: requested resource not found; same title and message as 401': async () => {
    await answers(sandbox.call('GET', `/contacts/${strange}`), 404, documentedBody);
    await answers(sandbox.call('GET', someone.uri, { as: 'enterprise' }), 404);
  },
});

// Pages

rows({
  'Pagination | `count` (integer, R): number of rows': async () => {
    const sameName = texted('name', (name) => name === someone.name);
    expect((await list({ name: someone.name })).body.pagination.count).toBe(sameName.length);
    expect((await list({ name: 'no such text' })).body.pagination.count).toBe(0);
  },
  'Pagination | `next_page` and `next_page_token` (R, N): URI of and token for the next page; null = no more':
    async () => {
      const { pagination } = (await list({ count: 100 })).body;
      expect(new URL(pagination.next_page).searchParams.get('page_token')).toBe(pagination.next_page_token);
      const second = (await sandbox.call('GET', pagination.next_page)).body;
      const third = (await sandbox.call('GET', second.pagination.next_page)).body;
      expect(third.collection).toHaveLength(size - 200);
      expect(third.pagination).toMatchObject({ next_page: null, next_page_token: null });
    },
  'Pagination | `previous_page` and `previous_page_token` (R, N): null = none': async () => {
    const first = (await list({ sort: 'updated_at:desc', name: 'a' })).body;
    expect(first.pagination).toMatchObject({ previous_page: null, previous_page_token: null });
    const second = (await sandbox.call('GET', first.pagination.next_page)).body;
    const { previous_page, previous_page_token } = second.pagination;
    expect(new URL(previous_page).searchParams.get('page_token')).toBe(previous_page_token);
    expect((await sandbox.call('GET', previous_page)).body).toEqual({
      collection: first.collection,
      pagination: expect.objectContaining({ previous_page: null, count: 20 }),
    });
  },
});

// Permission

/** Every operation on contacts asks for the same permission. */
async function allRefuse(refusal: object, more: CallOptions = {}): Promise<void> {
  const { uri } = someone;
  for (const [methods, path] of [
    ['GET POST', '/contacts'],
    ['GET PATCH DELETE', uri],
    ['GET', '/contacts/custom_field_definitions'],
    ['GET', `/contacts/custom_field_definitions/${strange}`],
  ] as const)
    for (const method of methods.split(' ')) await answers(sandbox.call(method, path, more), 403, refusal);
}

/** With another account for as long as it takes. */
async function withPlan(plan: object, holds: () => Promise<void>): Promise<void> {
  await sandbox.control('POST', '/plan', plan);
  await holds().finally(() => sandbox.control('POST', '/plan', { plan: 'teams', contacts_feature: 'enabled' }));
}

rows({
  'Permission denied: contacts list | account must be upgraded to the enterprise level': () =>
    withPlan({ contacts_feature: 'enterprise_only' }, async () => {
      await allRefuse(denied('Please upgrade your account to the enterprise level.'));
      await sandbox.control('POST', '/plan', { plan: 'enterprise' });
      await answers(list(), 200);
    }),
  'Permission denied: contacts list | `You do not have permission to access this resource.`': () =>
    allRefuse(noAccess, { as: 'member' }),
  'Permission denied: contacts list | account must be upgraded to a paid plan': async () => {
    const refusal = denied('Please upgrade your account to a paid plan.');
    await answers(list({}, { as: 'free_plan' }), 403, refusal);
    await withPlan({ plan: 'free' }, () => allRefuse(refusal));
  },
  'Permission denied: contacts list | contact creation unavailable because required features are disabled': () =>
    withPlan({ contacts_feature: 'disabled' }, () =>
      allRefuse(denied('Contact creation is unavailable because required features are disabled.')),
    ),
  'Conventions 4 | contacts: what an administrator sees is what the owner sees': async () => {
    const seenBy = async (as: 'owner' | 'admin') => (await list({ sort: 'updated_at:desc' }, { as })).body.collection;
    expect(await seenBy('admin')).toEqual(await seenBy('owner'));
  },
});
