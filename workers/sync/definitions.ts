// Reads the lists that people edit and the service sends no webhook about, or none that every account gets: custom fields, users and
// event types. They are short, so they are read more often than everything else is compared.
import type { EventKind } from '#schemas/events.ts';
import { instantOf } from '#src/base/time.ts';
import { requireSameOrganization } from './mirror-identity.ts';
import { ingestRecords } from './records.ts';
import { wantedResources } from './reconcile/plan.ts';
import { isReadFailure } from './resources/left-out.ts';
import type { RunNeeds } from './reconcile/session.ts';
import type { ResourceName } from './resources/registry.ts';
import { accountOf } from './sources.ts';

const lists: readonly ResourceName[] = ['organization_memberships', 'custom_field_definitions', 'event_types'];

/** Returns how many rows it changed. A list that cannot be read is left out; where none can be read, that is an error. */
export async function readDefinitions(needs: RunNeeds, events: readonly EventKind[]): Promise<number> {
  const { store, sources, signal } = needs;
  await requireSameOrganization(store, accountOf(sources), { claims: true });
  let changed = 0;
  const failures: unknown[] = [];
  const wanted = wantedResources(events).filter(({ name }) => lists.includes(name));
  for (const resource of wanted) {
    try {
      // Members have event types of their own: one call each would be too many, so often.
      for await (const { records } of resource.pages(sources, { signal, isBrief: resource.name === 'event_types' })) {
        const report = await ingestRecords(needs, records, { source: 'reconcile', now: instantOf(needs.now()) });
        changed += report.changed.length;
      }
    } catch (error) {
      if (signal?.aborted === true || !isReadFailure(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length === wanted.length) throw failures[0];
  // Also without a change: a view that could not be replaced is tried again.
  await store.refreshViews();
  return changed;
}
