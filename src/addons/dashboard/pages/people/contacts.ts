// Contacts: the list with the filters of the service, and one person with everything that happened with them.
import { html } from 'hono/html';
import { getContact, listContacts, listCustomFieldDefinitions } from '#src/api/contacts.ts';
import { getPerson, listPeople } from '#src/api/people/people.ts';
import { getContactTimeline } from '#src/api/people/timeline.ts';
import { filters, type Field } from '#src/addons/dashboard/components/form.ts';
import { facts, pager, table, type Column } from '#src/addons/dashboard/components/list.ts';
import {
  address,
  breadcrumb,
  command,
  day,
  externalLink,
  foreign,
  idOf,
  nothing,
  optionalTime,
  uriActions,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { ApiError } from '#src/api/ask.ts';
import { definePage, type Page, type PageCall, type RecordOf } from '#src/addons/dashboard/page.ts';
import { customFieldText, type Definition } from './custom-field-text.ts';
import { bookingsWith, named, personCard, type Person } from './people.ts';
import { timeline } from './timeline.ts';

type Contact = RecordOf<typeof listContacts>;

const contactsIn = ({ ask, query }: Pick<PageCall, 'ask' | 'query'>) => {
  const { show: _show, ...search } = query;
  return ask(listContacts, { query: { sort: newestFirst, ...search } });
};

const newestFirst = 'created_at:desc';
const otherOrders = {
  'created_at:asc': 'oldest first',
  'updated_at:desc': 'last changed first',
  'updated_at:asc': 'first changed first',
};

const everyField = 'all';

export const contactPages: readonly Page[] = [
  definePage({
    path: '/contacts',
    section: '/contacts',
    async show(call) {
      const { url, query } = call;
      const { collection, pagination } = await contactsIn(call);
      const definitions = await definitionsIn(call);
      const people = await peopleOf(call, collection);
      const shown = definitions.filter(({ uri }) => query['show'] === everyField || query['show'] === idOf(uri));
      return {
        title: 'Contacts',
        content: html`<h1>Contacts</h1>
          <p class="lead">Your contacts. <a href="/people">People</a> joins the contacts and bookings of the same person.</p>
          ${filters(url, query, contactFields(definitions))}
          ${table({
            caption: 'Contacts',
            rows: collection,
            keyOf: ({ uri }) => uri,
            linkOf: ({ uri }) => `/contacts/${idOf(uri)}`,
            empty: isFiltered(query)
              ? 'No contact matches these filters.'
              : html`There are no contacts yet. ${command('backfill')} copies those that the service has.`,
            columns: [...columns(people), ...shown.map(customColumn)],
          })}
          ${pager(pagination, url)}`,
      };
    },
  }),
  definePage({ path: '/contacts/:uuid', section: '/contacts', show: showContact }),
];

const isFiltered = (query: PageCall['query']): boolean =>
  Object.keys(query).some((name) => name !== 'show' && name !== 'sort');

/** The filters of the service: those with commas take several values. */
const contactFields = (definitions: readonly Definition[]): readonly Field[] => [
  { name: 'name', label: 'Name', type: 'search', placeholder: 'part of a name' },
  { name: 'email', label: 'E-mail', placeholder: 'whole address' },
  { name: 'phone_number', label: 'Phone', placeholder: '+49301234567' },
  { name: 'company', label: 'Company' },
  { name: 'job_title', label: 'Job title' },
  { name: 'city', label: 'City' },
  { name: 'state', label: 'State', placeholder: 'exact' },
  { name: 'country', label: 'Country', placeholder: 'DE' },
  { name: 'timezone', label: 'Time zone', placeholder: 'Europe/Berlin' },
  { name: 'sort', label: 'Order', none: 'newest first', options: otherOrders },
  ...(definitions.length === 0
    ? []
    : [
        {
          name: 'show',
          label: 'Custom fields',
          none: 'hide all',
          options: {
            [everyField]: 'show all',
            ...Object.fromEntries(definitions.map(({ uri, label }) => [idOf(uri), label ?? 'without a label'])),
          },
        },
      ]),
];

const columns = (people: ReadonlyMap<string, Person>): readonly Column<Contact>[] => [
  {
    name: 'Who',
    cell: ({ uri, name, emails }) =>
      html`<span class="who"><a href="/contacts/${idOf(uri)}">${named(name)}</a><small>${optional((emails.find((each) => each.is_primary) ?? emails[0])?.email)}</small></span>`,
  },
  { name: 'Work', cell: ({ job_title: title, company }) => optional([title, company].filter(Boolean).join(', ')) },
  {
    name: 'Location',
    cell: ({ city, country }) => optional([city, country].filter(Boolean).join(', ')),
    isMinor: true,
  },
  { name: 'Last meeting', cell: ({ uri }) => optionalTime(people.get(uri)?.last_meeting ?? null), isMinor: true },
  { name: 'Next meeting', cell: ({ uri }) => optionalTime(people.get(uri)?.next_meeting ?? null), isMinor: true },
  { name: 'Created', cell: ({ created_at: at }) => (at === null ? '' : day(at)) },
];

async function peopleOf({ ask }: Pick<PageCall, 'ask'>, contacts: readonly Contact[]) {
  const contact_uris = contacts.map(({ uri }) => uri).join();
  const { collection } = await ask(listPeople, { query: { contact_uris } });
  return new Map(collection.flatMap((person) => person.contact_uris.map((uri) => [uri, person] as const)));
}

const customColumn = (definition: Definition): Column<Contact> => ({
  name: definition.label ?? 'without a label',
  cell: ({ custom_fields: fields = [] }) =>
    optional(customFieldText(fields.find(({ uri }) => uri === definition.uri)?.value, definition)),
});

const optional = (text: string | null | undefined): Markup | string => (text ? foreign(text) : '');

async function definitionsIn({ ask }: Pick<PageCall, 'ask'>): Promise<readonly Definition[]> {
  const { collection } = await ask(listCustomFieldDefinitions, { query: { count: '100' } });
  return collection.filter(({ retired_at: retired }) => retired === null);
}

async function showContact({ ask, read, url, params, query }: PageCall) {
  const { page_token: token } = query;
  const history = await ask(getContactTimeline, {
    params,
    query: { count: '50', ...(token && { page_token: token }) },
  });
  const contact = await contactNamed({ ask, params });
  const person = contact && (await ask(getPerson, { params })).resource;
  const title = contact === undefined ? 'Deleted contact' : contact.name || 'Contact without a name';
  return {
    title,
    content: html`${breadcrumb('/contacts', 'Contacts', title)}
      <h1><bdi>${title}</bdi></h1>
      ${
        contact === undefined || person === undefined
          ? html`<p class="lead">This contact was deleted. Its values were removed; what happened to it is below.</p>`
          : html`${await contactCard({ ask }, contact, person)} ${await personCard({ read }, person, contact.uri)}`
      }
      <h2>History</h2>
      ${timeline(history.collection)} ${pager(history.pagination, url)}`,
  };
}

/** Undefined when it was deleted; one that was never mirrored has no history either, so the page is not found before. */
async function contactNamed({ ask, params }: Pick<PageCall, 'ask' | 'params'>) {
  try {
    return (await ask(getContact, { params })).resource;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function contactCard(call: Pick<PageCall, 'ask'>, contact: Contact, person: Person): Promise<Markup> {
  const definitions = new Map((await definitionsIn(call)).map((definition) => [definition.uri, definition]));
  const role = [contact.job_title, contact.company].filter(Boolean).join(', ');
  const custom = (contact.custom_fields ?? []).flatMap(({ uri, value, label }) => {
    const text = customFieldText(value, definitions.get(uri));
    return text === '' ? [] : [[label || 'without a label', foreign(text)] as const];
  });
  const primary = contact.emails.find((each) => each.is_primary) ?? contact.emails[0];
  return html`${role === '' ? '' : html`<p class="lead"><bdi>${role}</bdi></p>`}
    ${facts({
      'E-mail':
        contact.emails.length === 0
          ? null
          : html`${contact.emails.map(({ email, is_primary: isPrimary }) => html`<div>${bookingsWith(email)}${isPrimary && contact.emails.length > 1 ? html` <span class="soft">primary</span>` : ''}</div>`)}`,
      Phone:
        contact.phone_numbers.length === 0
          ? null
          : foreign(contact.phone_numbers.map((each) => each.phone_number).join(', ')),
      Location: textFact([contact.city, contact.state, contact.country].filter(Boolean).join(', ')),
      'Time zone': textFact(contact.timezone),
      LinkedIn: contact.linkedin ? externalLink(contact.linkedin) : null,
      'Next meeting': optionalTime(person.next_meeting),
      'Last meeting': optionalTime(person.last_meeting),
      Created: optionalTime(contact.created_at),
      Changed: optionalTime(contact.updated_at),
    })}
    ${serviceDates(contact)}
    ${
      custom.length === 0
        ? ''
        : html`<h2>Custom fields</h2>
          <dl class="facts">${custom.map(([label, value]) => html`<div><dt><bdi>${label}</bdi></dt><dd>${value}</dd></div>`)}</dl>`
    }
    <p class="row spaced">
      ${uriActions(contact.uri)}
      ${primary ? html`<a href="${address('/recaps', { attendee: primary.email })}">Recaps with this address</a>` : ''}
    </p>`;
}

/** The service sends no webhook when these change, so they may be old. */
function serviceDates(contact: Contact): Markup {
  const dates = {
    'Next meeting': contact.next_meeting_date,
    'Last meeting': contact.last_meeting_date,
    'First e-mail': contact.first_email_date,
    'Last e-mail': contact.last_email_date,
    'Last interaction': contact.last_interaction_date,
  };
  if (Object.values(dates).every((at) => at === null)) return nothing;
  return html`<details>
    <summary>As the service says</summary>
    <p><a href="${address('/why', { uri: contact.uri })}">When they were last read</a></p>
    ${facts(Object.fromEntries(Object.entries(dates).map(([name, at]) => [name, optionalTime(at)])))}
  </details>`;
}

const textFact = (text: string | null): Markup | null => (text ? foreign(text) : null);
