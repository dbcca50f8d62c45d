// Every page of the dashboard. The first entry of the navigation is the first page.
import type { Page } from './page.ts';
import { deliveryPages } from './pages/deliveries.ts';

export const pages: readonly Page[] = [...deliveryPages];
