// What a mirror cannot answer: writes, what is true only at this moment, and records that it does not keep. The error says so and where to
// ask. Its status is one that clients do not repeat, and its title is its own, so that no client takes it for a record that is missing.
import type { Context, Hono, Env } from 'hono';
import { HttpError, titledError } from '#src/http/http-error.ts';

/** Below /api: paths of the service of which nothing is mirrored. */
const notMirrored = [
  'activity_log_entries',
  'data_compliance',
  'event_type_availability_schedules',
  'event_type_available_times',
  'event_type_memberships',
  'group_relationships',
  'groups',
  'locations',
  'one_off_event_types',
  'organizations',
  'outgoing_communications',
  'sample_webhook_data',
  'scheduling_links',
  'shares',
  'user_availability_schedules',
  'user_busy_times',
] as const;

/** Paths that are read here, and written at the service. */
const readHere = [
  'contacts',
  'event_types',
  'invitee_no_shows',
  'invitees',
  'meeting_recaps',
  'organization_memberships',
  'routing_form_submissions',
  'routing_forms',
  'scheduled_events',
  'users',
  'webhook_subscriptions',
] as const;

const title = 'Not In The Mirror';

const roots: ReadonlySet<string> = new Set([...notMirrored, ...readHere]);

/** The error for a path that no operation answers: one of the service, or none at all. */
export function noSuchPath({ method, url }: Pick<Request, 'method' | 'url'>): HttpError {
  const { pathname: path } = new URL(url);
  if (!roots.has(path.split('/')[2] ?? '')) return titledError(404, 'There is nothing at this path.');
  const isReading = method === 'GET' || method === 'HEAD';
  const message = askedAt({ method, path }, isReading ? 'does not have this' : 'changes nothing');
  return new HttpError(404, { title, message });
}

/** Added before the operations: a write to a path that is read here. */
export function refuseWrites<E extends Env>(app: Hono<E>, paths: readonly string[]): void {
  app.on(['POST', 'PUT', 'PATCH', 'DELETE'], [...new Set(paths)], (http) => {
    http.header('allow', 'GET, HEAD');
    throw new HttpError(405, {
      title: 'Method Not Allowed',
      message: `This path takes GET, HEAD. ${askedAt(http.req, 'changes nothing')}`,
    });
  });
}

/** The path is the caller's own; a long one is not repeated. */
function askedAt({ method, path }: Pick<Context['req'], 'method' | 'path'>, what: string): string {
  const asked = path.length > 200 ? '' : `: ${method} ${path.replace(/^\/api/, '')}`;
  return `A mirror ${what}. Ask the service itself${asked}.`;
}
