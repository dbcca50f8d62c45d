// Every page of the dashboard. The first entry of the navigation is the first page.
import type { Page } from './page.ts';
import { bookingPages } from './pages/bookings/bookings.ts';
import { deliveryPage, replayDeliveryPage } from './pages/deliveries/delivery.ts';
import { deliveriesPage } from './pages/deliveries/list.ts';
import { replayPage, replayResultPage } from './pages/deliveries/replay.ts';
import { mirrorPages } from './pages/mirror/mirror-pages.ts';
import { nowPages } from './pages/now/now.ts';
import { numberPages } from './pages/numbers/numbers.ts';
import { contactPages } from './pages/people/contacts.ts';
import { recapPages } from './pages/people/recaps.ts';
import { routingPages } from './pages/people/routing.ts';
import { whyPage } from './pages/why.ts';

export const pages: readonly Page[] = [
  ...nowPages,
  ...bookingPages,
  deliveriesPage,
  // Before the page of one delivery, whose address would match.
  replayPage,
  replayResultPage,
  replayDeliveryPage,
  deliveryPage,
  whyPage,
  ...contactPages,
  ...routingPages,
  ...recapPages,
  ...numberPages,
  ...mirrorPages,
];
