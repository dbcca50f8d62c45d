// People over all their addresses: the list, and what the page of a contact says of the person.
import { html } from 'hono/html';
import { z } from 'zod';
import { namesOf } from '#src/api/row-record.ts';
import { paginationOf } from '#src/http/cursor.ts';
import { filtersOf, parseInput, plainText, readCursor } from '#src/http/request.ts';
import { findPeople, type Person } from '#src/read/people/people.ts';
import { filters, type Field } from '#src/addons/dashboard/components/form.ts';
import { facts, pager, table, type Column } from '#src/addons/dashboard/components/list.ts';
import { address, foreign, idOf, optionalTime, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { definePage, type Page, type PageCall } from '#src/addons/dashboard/page.ts';

const fields: readonly Field[] = [
  { name: 'email', label: 'E-mail', type: 'search', placeholder: 'any whole address' },
  { name: 'name', label: 'Name', placeholder: 'part of a name' },
  { name: 'contact', label: 'Contact', none: 'with a contact', options: { false: 'without a contact' } },
];

const search = z.object({
  email: plainText.max(320).optional(),
  name: plainText.max(200).optional(),
  contact: z.enum(['true', 'false']).optional(),
  count: z.coerce.number().int().min(1).max(100).default(20),
});

const columns: readonly Column<Person>[] = [
  {
    name: 'Who',
    cell: (person) =>
      html`<span class="who"><a href="${pageOf(person)}">${named(person.name)}</a><small><bdi>${person.emails.join(', ')}</bdi></small></span>`,
  },
  { name: 'Bookings', cell: ({ bookings }) => String(bookings) },
  { name: 'Came', cell: came },
  { name: 'No-shows', cell: ({ no_shows: count }) => String(count) },
  { name: 'Last campaign', cell: ({ last_campaign: campaign }) => (campaign ? foreign(campaign) : ''), isMinor: true },
  { name: 'First touch', cell: ({ first_touch: at }) => optionalTime(at), isMinor: true },
  { name: 'Last touch', cell: ({ last_touch: at }) => optionalTime(at) },
];

/** The page of the contact; without one, the bookings. */
const pageOf = ({ contact_uri: contact, primary_email: email }: Person): string =>
  contact === null ? address('/bookings', { email: email ?? '' }) : `/contacts/${idOf(contact)}`;

function came({ came: count, unknown }: Person): Markup | string {
  return unknown === 0
    ? String(count)
    : html`<div>${count}<br /><small class="soft">${unknown}\u{a0}unknown</small></div>`;
}

export const named = (name: string | null): Markup => (name ? html`<bdi>${name}</bdi>` : html`<i>without a name</i>`);

export const bookingsWith = (email: string): Markup =>
  html`<a href="${address('/bookings', { email })}" title="Bookings with this address"><bdi>${email}</bdi></a>`;

export const peoplePage: Page = definePage({
  path: '/people',
  section: '/contacts',
  async show({ read, url, query }) {
    const { people, pagination } = await read(async ({ reading, cursors }) => {
      const cursor = readCursor(query, (token) => cursors.read(url.pathname, token));
      const sent = cursor?.filters ?? filtersOf(query);
      const { count, ...asked } = parseInput(search, { ...query, ...sent });
      const page = { count, descending: true, backwards: false, ...cursor?.position };
      const { items, ...ends } = await findPeople(reading, asked, page);
      const list = { path: url.pathname, filters: sent };
      return { people: items, pagination: paginationOf({ ...ends, records: items }, { cursors, list, url }) };
    });
    return {
      title: 'People',
      content: html`<h1>People</h1>
        <p class="lead">Contacts that share an e-mail address are one person. <a href="/contacts">Contacts</a> lists them one by one.</p>
        ${filters(url, query, fields)}
        ${table({
          caption: 'People',
          rows: people,
          keyOf: ({ person }) => person,
          linkOf: pageOf,
          empty: 'No one matches these filters.',
          columns,
        })}
        ${pager(pagination, url)}`,
    };
  },
});

export async function personCard({ read }: Pick<PageCall, 'read'>, person: Person, contact: string): Promise<Markup> {
  const uris = person.contact_uris.filter((uri) => uri !== contact);
  const names = await read(({ store }) => namesOf(store, 'contacts', uris));
  return html`<h2>This person, all e-mail addresses</h2>
    ${facts({
      Addresses:
        person.emails.length === 0
          ? null
          : html`${person.emails.map((email) => html`<div>${bookingsWith(email)}</div>`)}`,
      'Other contacts':
        uris.length === 0
          ? null
          : html`${uris.map((uri) => html`<div><a href="/contacts/${idOf(uri)}">${named(names.get(uri) ?? null)}</a></div>`)}`,
      Bookings: String(person.bookings),
      Came: came(person),
      'No-shows': String(person.no_shows),
      'Last campaign': person.last_campaign ? foreign(person.last_campaign) : null,
      'First touch': optionalTime(person.first_touch),
      'Last touch': optionalTime(person.last_touch),
    })}`;
}
