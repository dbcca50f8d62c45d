// The endpoint of a call as a metric names it: without ids, so that there are few.

const words = new Set(
  'users me organizations organization_memberships contacts custom_field_definitions event_types scheduled_events invitees invitee_no_shows meeting_recaps transcript routing_forms routing_form_submissions webhook_subscriptions groups'.split(
    ' ',
  ),
);
const mostParts = 5;

/** `GET /scheduled_events/:id/invitees` */
export function endpointOf(method: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const named = parts.slice(0, mostParts).map((part) => (words.has(part) ? part : ':id'));
  return `${method} /${named.join('/')}`;
}
