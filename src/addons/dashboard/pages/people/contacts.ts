// Contacts: the list with the filters of the service, and one person with everything that happened with them.
import { html } from 'hono/html';
import { contactListQuery } from '#schemas/contact-request.ts';
import { textOf } from '#schemas/wire.ts';
import { getContact, listCustomFieldDefinitions } from '#src/api/contacts.ts';
import { getContactTimeline } from '#src/api/people/timeline.ts';
import { peopleOfContacts, type Person } from '#src/read/people/people.ts';
import { filters, type Field } from '#src/addons/dashboard/components/form.ts';
import { facts, pager } from '#src/addons/dashboard/components/list.ts';
import { findListed, listedView, rowsOf, statusOf, type FixedColumn } from '#src/addons/dashboard/components/listed.ts';
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
  who,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { ApiError } from '#src/api/ask.ts';
import { objectsIn } from '#src/api/row-record.ts';
import { parseInput } from '#src/http/request.ts';
import { contactsMatching } from '#src/read/contacts/contact-page.ts';
import { definePage, type Page, type PageCall, type RecordOf } from '#src/addons/dashboard/page.ts';
import { customFieldText, type Definition } from './custom-field-text.ts';
import { bookingsWith, personCard } from './people.ts';
import { timeline } from './timeline.ts';

type Contact = RecordOf<typeof getContact>;

const everyField = 'all';
/** What is known of a person takes longer than a row. */
const shownRows = '20';

export const contactPages: readonly Page[] = [
  definePage({
    path: '/contacts',
    section: '/contacts',
    async show(call) {
      const { read, url, query } = call;
      const { show = '', order = 'created_at.desc', page_token: _token, limit: _limit, ...given } = query;
      const search = await read(() => parseInput(contactSearch, given));
      const matching = await read(({ reading }) => contactsMatching(reading, search, order.split('.', 1)[0] ?? ''));
      const listed = await findListed(call, {
        name: 'contacts',
        select: [
          'uri',
          'name',
          'emails',
          'job_title',
          'company',
          'city',
          'country',
          'created_at',
          'updated_at',
          'custom_fields',
        ],
        conditions: url.searchParams.has('limit') ? [] : [['limit', shownRows]],
        also: () => [matching],
        order: 'created_at.desc',
      });
      const definitions = await definitionsIn(call);
      const people = await peopleOf(
        call,
        rowsOf(listed).map(({ uri }) => String(uri)),
      );
      const shown = definitions.filter(({ uri }) => show === everyField || show === idOf(uri));
      return {
        title: 'Contacts',
        ...statusOf(listed),
        content: html`<h1>Contacts</h1>
          <p class="lead">Your contacts. <a href="/people">People</a> joins the contacts and bookings of the same person.</p>
          ${filters(url, query, contactFields(definitions))}
          ${listedView(listed, {
            url,
            caption: 'Contacts',
            linkOf: ({ uri }) => `/contacts/${idOf(String(uri))}`,
            empty:
              Object.keys(given).length > 0
                ? 'No contact matches these filters.'
                : html`There are no contacts yet. ${command('backfill')} copies those that the service has.`,
            columns: [...columns(people), ...shown.map(customColumn)],
          })}`,
      };
    },
  }),
  definePage({ path: '/contacts/:uuid', section: '/contacts', show: showContact }),
];

/** Names that it does not know are ignored. */
const contactSearch = contactListQuery.omit({ count: true, page_token: true, sort: true, exclude: true }).strip();

/** As the headings sort, which a narrow screen does not have. */
const orders = {
  'created_at.asc': 'oldest first',
  'updated_at.desc': 'last changed first',
  'name.asc': 'name',
  'company.asc': 'company',
  'city.asc': 'city',
};

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
  { name: 'order', label: 'Sorted by', none: 'newest first', options: orders },
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

const columns = (people: ReadonlyMap<string, Person>): readonly FixedColumn[] => [
  {
    name: 'name',
    label: 'Who',
    cell: ({ uri, name, emails }) => {
      const all = objectsIn(emails);
      const { email } = all.find((each) => each['is_primary'] === true) ?? all[0] ?? {};
      return who({ name: textOf(name), email: textOf(email), href: `/contacts/${idOf(String(uri))}` });
    },
  },
  {
    name: 'company',
    label: 'Work',
    cell: ({ job_title: title, company }) => optional([title, company].filter(Boolean).join(', ')),
  },
  {
    name: 'city',
    label: 'Location',
    cell: ({ city, country }) => optional([city, country].filter(Boolean).join(', ')),
    isMinor: true,
  },
  ...(['last', 'next'] as const).map((which): FixedColumn => ({
    name: `${which}_meeting`,
    label: which === 'last' ? 'Last meeting' : 'Next meeting',
    cell: ({ uri }) => optionalTime(people.get(String(uri))?.[`${which}_meeting`] ?? null),
    isMinor: true,
    isUnsorted: true,
  })),
  { name: 'created_at', label: 'Created', cell: ({ created_at: at }) => (at === null ? '' : day(String(at))) },
  {
    name: 'updated_at',
    label: 'Changed',
    cell: ({ updated_at: at }) => (at === null ? '' : day(String(at))),
    isMinor: true,
  },
];

async function peopleOf({ read }: Pick<PageCall, 'read'>, contacts: readonly string[]) {
  const people = await read(({ reading }) => peopleOfContacts(reading, contacts));
  return new Map(people.flatMap((person) => person.contact_uris.map((uri) => [uri, person] as const)));
}

const customColumn = (definition: Definition): FixedColumn => ({
  name: 'custom_fields',
  label: definition.label ?? 'without a label',
  isUnsorted: true,
  cell: ({ custom_fields: fields }) =>
    optional(customFieldText(objectsIn(fields).find(({ uri }) => uri === definition.uri)?.['value'], definition)),
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
  const person = contact && (await peopleOf({ read }, [contact.uri])).get(contact.uri);
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
