// Every page of the dashboard. The first entry of the navigation is the first page.
import type { Page } from './page.ts';
import { bookingPages } from './pages/bookings/bookings.ts';
import { deliveryPages } from './pages/deliveries.ts';
import { mirrorPages } from './pages/mirror/mirror-pages.ts';
import { nowPages } from './pages/now/now.ts';
import { contactPages } from './pages/people/contacts.ts';
import { recapPages } from './pages/people/recaps.ts';
import { routingPages } from './pages/people/routing.ts';

export const pages: readonly Page[] = [
  ...nowPages,
  ...deliveryPages,
  ...bookingPages,
  ...contactPages,
  ...routingPages,
  ...recapPages,
  ...mirrorPages,
];
