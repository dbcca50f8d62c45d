// Reads the lists that people edit and the service sends no webhook about, or none that every account gets: custom fields, users and
// event types. They are short, so they are read more often than everything else is compared. Custom fields and memberships that the
// service no longer has are found here, too.
import type { EventKind } from '#schemas/events.ts';
import { requireSameOrganization } from './mirror-identity.ts';
import { fullTraversals, wantedResources } from './reconcile/plan.ts';
import { traverse } from './reconcile/reconcile.ts';
import { withShortRetries } from './read-each.ts';
import { openRun, type RunNeeds } from './reconcile/session.ts';
import type { ResourceName } from './resources/registry.ts';
import { accountOf } from './sources.ts';

const lists: readonly ResourceName[] = ['organization_memberships', 'custom_field_definitions', 'event_types'];

export interface DefinitionsReport {
  readonly changed: number;
  /** Lists and records that could not be read. */
  readonly unreadable: readonly string[];
}

/** A list that cannot be read is left out; where none can be read, that is an error. */
export async function readDefinitions(needs: RunNeeds, events: readonly EventKind[]): Promise<DefinitionsReport> {
  const brief = { ...needs, sources: withShortRetries(needs.sources) };
  await requireSameOrganization(needs.store, accountOf(brief.sources), { claims: true });
  let changed = 0;
  using run = openRun({ ...brief, onDrift: () => (changed += 1) }, { repair: true, allowDeletes: false });
  const wanted = wantedResources(events).filter(({ name }) => lists.includes(name));
  const outcomes = [];
  for (const traversal of fullTraversals(wanted)) {
    const { resource } = traversal;
    // Members have event types of their own: one call each would be too many, so often.
    outcomes.push(
      await traverse(brief, resource.name === 'event_types' ? { resource, isBrief: true } : traversal, run),
    );
  }
  const [first, ...others] = outcomes;
  if (first?.error !== undefined && others.every(({ error }) => error !== undefined)) throw first.error;
  // Also without a change: a view that could not be replaced is tried again.
  await needs.store.refreshViews();
  return { changed, unreadable: outcomes.flatMap(({ unreadable }) => unreadable.map(({ what }) => what)) };
}
