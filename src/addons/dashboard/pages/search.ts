// Search: the first contacts, hosts, bookings and deliveries with a text, and the lists that have the others.
import { html } from 'hono/html';
import { listDeliveries } from '#src/api/deliveries/deliveries.ts';
import { isAddress, searchBookings, searchContacts, searchHosts, type Found } from '#src/read/search.ts';
import { table, type Table } from '#src/addons/dashboard/components/list.ts';
import { address, foreign, idOf, time, who, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { definePage, type RecordOf } from '#src/addons/dashboard/page.ts';
import { bookingBadge } from './bookings/outcome.ts';
import { columns as deliveryColumns } from './deliveries/list.ts';

const most = 5;

type Delivery = RecordOf<typeof listDeliveries>;

export const searchPage = definePage({
  path: '/search',
  async show({ ask, read, query: { q } }) {
    if (q === undefined)
      return {
        title: 'Search',
        content: html`<h1>Search</h1>
          <p class="lead">Type a part of a name or of a company, an e-mail address, or a phone number.</p>`,
      };
    const contacts = await read(({ reading }) => searchContacts(reading, q, most));
    const hosts = await read(({ reading }) => searchHosts(reading, q, most));
    const bookings = await read(({ reading }) => searchBookings(reading, q, most));
    const logged = isAddress(q) ? { address: q } : { q };
    const deliveries = await ask(listDeliveries, { query: { ...logged, count: String(most), include: 'sentence' } });
    return {
      title: `Search: ${q}`,
      content: html`<h1>Search: <bdi>${q}</bdi></h1>
        ${found(contacts, {
          caption: 'Contacts',
          list: address('/contacts', isAddress(q) ? { email: q } : { name: q }),
          linkOf: ({ uri }) => `/contacts/${idOf(uri)}`,
          columns: [
            {
              name: 'Who',
              cell: ({ uri, name, primary_email: email }) => who({ name, email, href: `/contacts/${idOf(uri)}` }),
            },
            { name: 'Company', cell: ({ company }) => (company ? foreign(company) : '') },
            { name: 'Created', cell: ({ created_at: at }) => (at === null ? '' : time(at)), isMinor: true },
          ],
        })}
        ${
          hosts.rows.length === 0
            ? ''
            : found(hosts, {
                caption: 'Hosts',
                list: address('/tables/users', { name: `ilike.*${q}*` }),
                linkOf: ({ uri }) => address('/bookings', { host: uri }),
                columns: [
                  {
                    name: 'Who',
                    cell: who,
                  },
                  {
                    name: 'Bookings',
                    cell: ({ uri }) => html`<a href="${address('/bookings', { host: uri })}">Their bookings</a>`,
                  },
                  {
                    name: 'No-shows',
                    cell: ({ uri }) => html`<a href="${address('/no-shows', { host: uri })}">Their no-shows</a>`,
                  },
                ],
              })
        }
        ${found(bookings, {
          caption: 'Bookings',
          list: address('/bookings', isAddress(q) ? { email: q } : { q }),
          linkOf: ({ last_invitee: uri }) => `/bookings/${idOf(uri)}`,
          columns: [
            {
              name: 'Who',
              cell: ({ last_invitee: uri, invitee_name: name, invitee_email: email }) =>
                who({ name, email, href: `/bookings/${idOf(uri)}` }),
            },
            {
              name: 'Event',
              cell: ({ event_type_name: name, host_name: host }) =>
                html`<span class="who">${foreign(name)}${host === null ? '' : html`<small>with <bdi>${host}</bdi></small>`}</span>`,
            },
            { name: 'Starts', cell: ({ start_time: at }) => (at === null ? 'unknown' : time(at)) },
            { name: 'Outcome', cell: ({ outcome }) => bookingBadge(outcome) },
          ],
        })}
        ${found(
          { rows: deliveries.collection, isMore: deliveries.pagination.next_page_token !== null },
          {
            caption: 'Deliveries',
            list: address('/deliveries', logged),
            linkOf: ({ seq }) => `/deliveries/${seq}`,
            columns: deliveryColumns.map((column) =>
              column.name === 'What happened' ? { ...column, cell: whatHappened(q) } : column,
            ),
          },
        )}`,
    };
  },
});

/** Where the text is not in the sentence, it is in what was sent. Of an address, everything about its owner is found. */
const whatHappened =
  (q: string) =>
  ({ sentence = '', subject_uri: uri }: Delivery): Markup =>
    html`<bdi title="${uri ?? ''}">${sentence}</bdi>${isAddress(q) || sentence.toLowerCase().includes(q.toLowerCase()) ? '' : html` <small class="soft">found in its content</small>`}`;

function found<Row>(
  { rows, isMore }: Found<Row>,
  { list, ...shown }: Omit<Table<Row>, 'rows' | 'empty'> & { readonly list: string },
): Markup {
  const more = isMore ? html`<p><a href="${list}">Search all ${shown.caption.toLowerCase()}</a></p>` : '';
  return html`<h2>${shown.caption}</h2>
    ${table({ ...shown, rows, empty: isMore ? 'Nothing found among the newest.' : 'Nothing found.' })} ${more}`;
}
