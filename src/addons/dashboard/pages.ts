// Every page of the dashboard, by folder: the address of a page is in its file.
//   now         /
//   deliveries  /deliveries, /deliveries/:id, /deliveries/replay
//   bookings    /bookings, /bookings/:uuid, /no-shows
//   people      /contacts, /people, /routing, /recaps
//   numbers     /numbers
//   mirror      /mirror and what is below it, /queues
//   tables      /tables, /tables/:name, /tables/:name/:key
//   search.ts   /search
//   why.ts      /why
import type { Page } from './page.ts';
import { answerPage } from './pages/bookings/answer.ts';
import { bookingPage } from './pages/bookings/booking.ts';
import { bookingsPage } from './pages/bookings/bookings.ts';
import { noShowsPage } from './pages/bookings/no-shows.ts';
import { deliveryPage } from './pages/deliveries/delivery.ts';
import { deliveriesPage } from './pages/deliveries/list.ts';
import { replayDeliveryPage } from './pages/deliveries/replay-delivery.ts';
import { replayPage } from './pages/deliveries/replay.ts';
import { alertPages } from './pages/mirror/alerts.ts';
import { feedPage } from './pages/mirror/feed.ts';
import { overviewPage } from './pages/mirror/overview.ts';
import { queuePage } from './pages/mirror/queue.ts';
import { settingsPage } from './pages/mirror/settings.ts';
import { subscriptionPages } from './pages/mirror/subscriptions.ts';
import { syncPage } from './pages/mirror/sync.ts';
import { nowPages } from './pages/now/now.ts';
import { numberPages } from './pages/numbers/numbers.ts';
import { contactPages } from './pages/people/contacts.ts';
import { peoplePage } from './pages/people/people.ts';
import { recapPages } from './pages/people/recaps.ts';
import { routingPages } from './pages/people/routing.ts';
import { searchPage } from './pages/search.ts';
import { tablePages } from './pages/tables/tables.ts';
import { whyPage } from './pages/why.ts';

export const pages: readonly Page[] = [
  ...nowPages,
  bookingsPage,
  bookingPage,
  noShowsPage,
  answerPage,
  deliveriesPage,
  // Before the page of one delivery, whose address would match.
  replayPage,
  replayDeliveryPage,
  deliveryPage,
  whyPage,
  searchPage,
  ...contactPages,
  peoplePage,
  ...routingPages,
  ...recapPages,
  ...numberPages,
  ...tablePages,
  overviewPage,
  ...subscriptionPages,
  syncPage,
  feedPage,
  ...alertPages,
  queuePage,
  settingsPage,
];
