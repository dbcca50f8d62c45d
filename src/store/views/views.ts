// The registry of views, and the shape of each.
import type { ColumnKind } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { bookingJourneys } from './booking-journeys.ts';
import { bookingsDaily } from './bookings-daily.ts';
import { contactsWide, type FieldDefinition } from './contacts-wide.ts';
import { noShowRate } from './no-show-rate.ts';
import { revenue } from './revenue.ts';
import { routingFunnel } from './routing-funnel.ts';
import type { View } from './view.ts';

export interface ViewShape {
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly key: readonly string[];
  readonly since: string | undefined;
}

/** Every view, for the definitions of custom fields there are. */
export function viewsFor(definitions: readonly FieldDefinition[]): readonly View[] {
  return [bookingJourneys, bookingsDaily, noShowRate, contactsWide(definitions), routingFunnel, revenue];
}

export const viewNames: readonly string[] = viewsFor([]).map(({ name }) => name);

export async function readDefinitions({ db }: Pick<Store, 'db'>): Promise<readonly FieldDefinition[]> {
  const rows = await db
    .selectFrom('custom_field_definitions')
    .select(['uri', 'label', 'field_type', 'currency', 'created_at'])
    .execute();
  return rows;
}

/** The shape of a view in the store; undefined where there is none of that name. */
export async function shapeOfView(store: Pick<Store, 'db' | 'engine'>, name: string): Promise<ViewShape | undefined> {
  if (!viewNames.includes(name)) return undefined;
  const view = viewsFor(await readDefinitions(store)).find((each) => each.name === name);
  if (view === undefined) return undefined;
  // A view that could not be replaced lacks the newest columns.
  const existing = await store.engine.views.columnsOf(store.db, name);
  const columns = Object.entries(view.columns).filter(([column]) => existing.has(column));
  return {
    columns: Object.fromEntries(columns.map(([column, { kind }]) => [column, kind])),
    key: view.key,
    since: view.since,
  };
}
