// Deliveries: the list of the log.
import { html } from 'hono/html';
import { listDeliveries } from '#src/api/deliveries/deliveries.ts';
import { newestEntry } from '../ask.ts';
import { filters } from '../components/form.ts';
import { pager, table } from '../components/list.ts';
import { foreign, outcomeBadge, time } from '../components/markup.ts';
import { definePage, type Page } from '../page.ts';

export const deliveryPages: readonly Page[] = [
  definePage({
    path: '/deliveries',
    section: '/deliveries',
    async show({ ask, url, query }) {
      const liveAfter = await newestEntry({ ask, query });
      const { collection, pagination } = await ask(listDeliveries, { query });
      return {
        title: 'Deliveries',
        liveAfter,
        content: html`<h1>Deliveries</h1>
          ${filters(url, query, [{ name: 'event', label: 'Event', placeholder: 'contact.updated' }])}
          ${table({
            caption: 'Deliveries, newest first',
            rows: collection,
            keyOf: ({ seq }) => String(seq),
            linkOf: ({ seq }) => `/deliveries/${seq}`,
            empty: 'No delivery matches.',
            columns: [
              { name: 'Entry', cell: ({ seq }) => html`<a href="/deliveries/${seq}">#${seq}</a>` },
              { name: 'Event', cell: ({ event }) => foreign(event) },
              { name: 'Received', cell: ({ received_at }) => time(received_at) },
              { name: 'Outcome', cell: ({ outcome }) => outcomeBadge(outcome) },
              { name: 'Source', cell: ({ source }) => source, isMinor: true },
            ],
          })}
          ${pager(pagination, url)}`,
      };
    },
  }),
];
