// The registry of views, and the shape of each.
import type { ColumnKind } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { bookingJourneyChanges } from './booking-journey-changes.ts';
import { bookingJourneys } from './booking-journeys.ts';
import { bookingsDaily } from './bookings-daily.ts';
import { contactsWide } from './contacts-wide.ts';
import type { FieldColumn } from './custom-columns.ts';
import { scheduledEventGuests, scheduledEventHosts } from './event-people.ts';
import { listViews } from './list-items.ts';
import { noShowRate } from './no-show-rate.ts';
import { people } from './people.ts';
import { revenue } from './revenue.ts';
import { routingFunnel } from './routing-funnel.ts';
import { unbookedSubmissions } from './unbooked-submissions.ts';
import type { View } from './view.ts';

export interface ViewShape {
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly key: readonly string[];
  readonly since: string | undefined;
}

export function viewsFor(columns: readonly FieldColumn[]): readonly View[] {
  return [
    bookingJourneys,
    bookingJourneyChanges,
    bookingsDaily,
    noShowRate,
    contactsWide(columns),
    routingFunnel,
    revenue,
    scheduledEventHosts,
    scheduledEventGuests,
    people,
    unbookedSubmissions,
    // Last: views of users read them, and a reader locks those first.
    ...listViews,
  ];
}

export const viewNames: readonly string[] = viewsFor([]).map(({ name }) => name);

export function readFieldColumns({ db }: Pick<Store, 'db'>): Promise<readonly FieldColumn[]> {
  return db.selectFrom('contacts_wide_columns').selectAll().orderBy('position').execute();
}

/** The shape of a view in the store; undefined where there is none of that name. */
export async function shapeOfView(store: Pick<Store, 'db' | 'engine'>, name: string): Promise<ViewShape | undefined> {
  if (!viewNames.includes(name)) return undefined;
  const view = viewsFor(await readFieldColumns(store)).find((each) => each.name === name);
  if (view === undefined) return undefined;
  // A view that could not be replaced lacks the newest columns, and one of another origin has others.
  const existing = await store.engine.views.columnsOf(store.db, name);
  const columns = Object.entries(view.columns).filter(([column]) => existing.has(column));
  return {
    columns: Object.fromEntries(columns.map(([column, { kind }]) => [column, kind])),
    key: view.key,
    since: view.since,
  };
}
