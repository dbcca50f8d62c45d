// Every page about the mirror itself.
import type { Page } from '#src/dashboard/page.ts';
import { actionsPage } from './actions.ts';
import { alertPages } from './alerts.ts';
import { feedPage } from './feed.ts';
import { overviewPage } from './overview.ts';
import { queuePage } from './queue.ts';
import { schemaPage } from './schema.ts';
import { settingsPage } from './settings.ts';
import { subscriptionPages } from './subscriptions.ts';
import { syncPage } from './sync.ts';

export const mirrorPages: readonly Page[] = [
  overviewPage,
  ...subscriptionPages,
  syncPage,
  feedPage,
  ...alertPages,
  queuePage,
  schemaPage,
  settingsPage,
  actionsPage,
];
