// Checks the service: it answers, accepts the token, grants the scopes that EVENTS requires, and its clock agrees with ours.
import { contractOf, type EventKind } from '#schemas/events.ts';
import { ApiError } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import {
  getCurrentUser,
  listContacts,
  listEventTypes,
  listMeetingRecaps,
  listRoutingForms,
  listScheduledEvents,
  listWebhookSubscriptions,
} from '#src/upstream/endpoints.ts';
import { openUpstream } from '#src/upstream/clients.ts';
import { callOptions, hasApi, ok, problem, warning, type Check, type CheckNeeds, type Finding } from './check.ts';

export const checkService: Check = async (needs) => {
  const { config, now } = needs;
  if (!hasApi(config))
    return [
      warning(
        'service',
        'API_BASE_URL and a token are not set: deliveries are projected, but bootstrap, backfill and reconcile cannot run.',
        'Set API_BASE_URL and API_TOKEN, or OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and AUTH_URL.',
      ),
    ];
  const client = openUpstream(config, {}, callOptions);
  const sentMs = now().getTime();
  const { value: me, observed } = await getCurrentUser(client);
  const organization = config.api.organizationUri ?? me.current_organization;
  const token = ok('token', 'the service accepts it.');
  const clock = clockFinding(needs, (sentMs - Date.parse(observed)) / 1000);
  if (organization == null)
    return [token, clock, problem('service', 'GET /users/me names no organization.', 'Set ORGANIZATION_URI.')];
  return [token, clock, ...(await checkScopes({ client, user: me.uri, organization }, config.events))];
};

/** `observed` is rounded down to the second and includes the round trip, so a difference of two seconds means nothing. */
function clockFinding({ config }: CheckNeeds, aheadSeconds: number): Finding {
  const off = Math.round(aheadSeconds);
  const tolerance = config.signing.toleranceSeconds;
  const message = `this machine is ${Math.abs(off)} s ${off < 0 ? 'behind' : 'ahead of'} the service.`;
  const fix = 'Synchronize the clock with NTP: timedatectl set-ntp true';
  if (tolerance > 0 && Math.abs(off) > tolerance)
    return problem('clock', `${message} Every delivery is rejected.`, fix);
  return Math.abs(off) > 10 ? warning('clock', message, fix) : ok('clock', 'agrees with the service.');
}

interface ProbeNeeds {
  readonly client: Client;
  readonly user: string;
  readonly organization: string;
}

type Probe = (needs: ProbeNeeds) => AsyncGenerator;

/** The cheapest call that requires each scope: the service does not report the scopes of a token. */
const probes: Readonly<Record<string, Probe>> = {
  'contacts:read': ({ client }) => listContacts(client, { count: 1 }),
  'scheduled_events:read': ({ client, organization }) => listScheduledEvents(client, { organization, count: 1 }),
  'event_types:read': ({ client, organization }) => listEventTypes(client, { organization, count: 1 }),
  'routing_forms:read': ({ client, organization }) => listRoutingForms(client, { organization, count: 1 }),
  'meeting_recaps:read': ({ client, user }) => listMeetingRecaps(client, { user, count: 1 }),
  'webhooks:write': ({ client, organization }) =>
    listWebhookSubscriptions(client, { organization, scope: 'organization', count: 1 }),
};

async function checkScopes(needs: ProbeNeeds, events: readonly EventKind[]): Promise<readonly Finding[]> {
  const kindsByScope = Map.groupBy(events, (kind): string => contractOf(kind).requiredCallerScope);
  const found: Finding[] = [];
  for (const [scope, probe] of Object.entries(probes)) {
    const kinds = scope === 'webhooks:write' ? events : kindsByScope.get(scope);
    if (kinds === undefined) continue;
    const refusal = await refusedCall(probe(needs));
    if (refusal !== undefined) found.push(scopeFinding(refusal, scope, kinds));
  }
  return found.length > 0 ? found : [ok('scopes', 'the token can read everything that EVENTS requires.')];
}

async function refusedCall(pages: AsyncGenerator): Promise<ApiError | undefined> {
  try {
    await pages.next();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return error;
    throw error;
  }
}

function scopeFinding(refusal: ApiError, scope: string, kinds: readonly EventKind[]): Finding {
  const missing =
    scope === 'webhooks:write' ? 'bootstrap cannot create subscriptions' : `missing in the mirror: ${kinds.join(', ')}`;
  if (refusal.requiredScopes.length > 0)
    return problem('scopes', `the token lacks ${refusal.requiredScopes.join(', ')}; ${missing}.`, refusal.hint ?? '');
  return problem(
    'scopes',
    `${refusal.message} ${missing}.`,
    refusal.hint ?? 'Use the token of an owner or administrator.',
  );
}
