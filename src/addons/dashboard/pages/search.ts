// Search: the first people, bookings and deliveries with a text, and the lists that have the others.
import { html } from 'hono/html';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import { listBookings } from '#src/api/bookings/list-bookings.ts';
import { listDeliveries } from '#src/api/deliveries/deliveries.ts';
import { listPeople } from '#src/api/people/people.ts';
import { table, type Table } from '#src/addons/dashboard/components/list.ts';
import { address, idOf, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { definePage } from '#src/addons/dashboard/page.ts';
import { columns as bookingColumns } from './bookings/bookings.ts';
import { columns as deliveryColumns } from './deliveries/list.ts';
import { columns as personColumns, pageOf } from './people/people.ts';

const count = '5';

export const searchPage = definePage({
  path: '/search',
  async show({ ask, query: { q } }) {
    if (q === undefined)
      return {
        title: 'Search',
        content: html`<h1>Search</h1><p class="lead">Type a part of a name, or an e-mail address.</p>`,
      };
    // A whole address is found by an index.
    const isAddress = /^\S+@\S+\.\S+$/.test(q);
    const filters = {
      people: isAddress ? { email: q } : { name: q },
      bookings: isAddress ? { email: q } : { q },
      deliveries: isAddress ? { address: q } : { q },
    };
    // One after the other: SQLite reads on this thread.
    const people = await ask(listPeople, { query: { ...filters.people, count } });
    const bookings = await ask(listBookings, { query: { ...filters.bookings, count } });
    const deliveries = await ask(listDeliveries, { query: { ...filters.deliveries, count, include: 'sentence' } });
    return {
      title: `Search: ${q}`,
      content: html`<h1>Search: <bdi>${q}</bdi></h1>
        ${found(people, {
          caption: 'People',
          list: address('/people', filters.people),
          keyOf: ({ person }) => person,
          linkOf: pageOf,
          columns: personColumns,
        })}
        ${found(bookings, {
          caption: 'Bookings',
          list: address('/bookings', filters.bookings),
          keyOf: ({ uri }) => uri,
          linkOf: ({ last_invitee: uri }) => `/bookings/${idOf(uri)}`,
          columns: bookingColumns,
        })}
        ${found(deliveries, {
          caption: 'Deliveries',
          list: address('/deliveries', filters.deliveries),
          keyOf: ({ seq }) => String(seq),
          linkOf: ({ seq }) => `/deliveries/${seq}`,
          columns: deliveryColumns,
        })}`,
    };
  },
});

function found<Row>(
  { collection: rows, pagination }: { readonly collection: readonly Row[]; readonly pagination: PaginationEnvelope },
  { list, ...shown }: Omit<Table<Row>, 'rows' | 'empty'> & { readonly list: string },
): Markup {
  const more =
    pagination.next_page_token === null
      ? ''
      : html`<p><a href="${list}">Search all ${shown.caption.toLowerCase()}</a></p>`;
  const empty = more === '' ? 'Nothing found.' : 'Nothing found among the newest.';
  return html`<h2>${shown.caption}</h2>
    ${table({ ...shown, rows, empty })} ${more}`;
}
