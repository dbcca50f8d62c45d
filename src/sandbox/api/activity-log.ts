// The activity log of an organization, for enterprise accounts of the public service.
import { activityLogQuery } from '#schemas/list-query.ts';
import {
  activityLogEntryResource,
  activityLogFields,
  type ActivityLogEntryResource,
} from '#schemas/resources/activity-log.ts';
import { denied } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { mentions } from '#src/sandbox/world/activity-log.ts';
import { demandEnterprise, demandOrganization, isAdministrator, noAccess } from './permissions.ts';
import { define } from './service-operation.ts';

export const activityLogOperations = [
  define({
    id: 'listActivityLogEntries',
    method: 'GET',
    path: '/activity_log_entries',
    summary: 'What was done in an organization, newest first',
    scopes: ['activity_log:read'],
    permits: demandEnterprise,
    query: activityLogQuery,
    answers: 'collection',
    schema: activityLogEntryResource,
    fields: activityLogFields,
    run(call) {
      const { organization, actor, namespace, action, search_term, sort = 'occurred_at:desc' } = call.query;
      const { min_occurred_at = '', max_occurred_at = '~' } = call.query;
      demandOrganization(call, organization);
      if (!isAdministrator(call.caller)) throw denied(noAccess);
      const isMentioned = mentions(search_term ?? '');
      const matches = (entry: ActivityLogEntryResource): boolean =>
        entry.organization === organization &&
        entry.occurred_at >= min_occurred_at &&
        entry.occurred_at <= max_occurred_at &&
        (actor?.includes(entry.actor.uri) ?? true) &&
        (namespace?.includes(entry.namespace) ?? true) &&
        (action?.includes(entry.action) ?? true) &&
        isMentioned(entry);
      const { activity } = call.service.state;
      const page = activity.page('occurred', call.pageIn(sort), matches);
      const newest =
        page.items
          .map(({ occurred_at }) => occurred_at)
          .toSorted()
          .at(-1) ?? null;
      const total_count = [...activity.values()].filter(matches).length;
      return { ...listing(page), fields: { last_event_time: newest, total_count, exceeds_max_total_count: false } };
    },
  }),
];
