// Reads the lists that people edit and the service sends no webhook about, or none that every account gets: custom fields, users and
// event types. They are short, so they are read more often than everything else is compared.
import type { EventKind } from '#schemas/events.ts';
import { instantOf } from '#src/base/time.ts';
import { requireSameOrganization } from './mirror-identity.ts';
import { ingestRecords } from './records.ts';
import { wantedResources } from './reconcile/plan.ts';
import { withShortRetries } from './read-each.ts';
import { isReadFailure, leftOutIn } from './resources/left-out.ts';
import type { RunNeeds } from './reconcile/session.ts';
import type { ResourceName } from './resources/registry.ts';
import { accountOf } from './sources.ts';

const lists: readonly ResourceName[] = ['organization_memberships', 'custom_field_definitions', 'event_types'];

export interface DefinitionsReport {
  /** Rows that changed. */
  readonly changed: number;
  /** Lists and records that could not be read. */
  readonly unreadable: readonly string[];
}

/** A list that cannot be read is left out; where none can be read, that is an error. */
export async function readDefinitions(needs: RunNeeds, events: readonly EventKind[]): Promise<DefinitionsReport> {
  const { store, signal } = needs;
  const sources = withShortRetries(needs.sources);
  await requireSameOrganization(store, accountOf(sources), { claims: true });
  let changed = 0;
  const failures: unknown[] = [];
  const unreadable: string[] = [];
  const wanted = wantedResources(events).filter(({ name }) => lists.includes(name));
  for (const resource of wanted) {
    try {
      // Members have event types of their own: one call each would be too many, so often.
      const isBrief = resource.name === 'event_types';
      for await (const { records, notices } of resource.pages(sources, { signal, isBrief })) {
        unreadable.push(...leftOutIn(notices).map(({ what }) => what));
        const report = await ingestRecords(needs, records, { source: 'reconcile', now: instantOf(needs.now()) });
        changed += report.changed.length;
      }
    } catch (error) {
      if (signal?.aborted === true || !isReadFailure(error)) throw error;
      failures.push(error);
      unreadable.push(resource.name);
    }
  }
  if (failures.length === wanted.length) throw failures[0];
  // Also without a change: a view that could not be replaced is tried again.
  await store.refreshViews();
  return { changed, unreadable };
}
