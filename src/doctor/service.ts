// The service: answers, knows the token, shows what EVENTS asks for, and has the same time as we do.
import { contractOf, type EventKind } from '#schemas/events.ts';
import { ApiError } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { listScheduledEvents } from '#src/upstream/endpoints/bookings.ts';
import { listContacts } from '#src/upstream/endpoints/contacts.ts';
import { listEventTypes } from '#src/upstream/endpoints/event-types.ts';
import { listMeetingRecaps } from '#src/upstream/endpoints/meeting-recaps.ts';
import { listRoutingForms } from '#src/upstream/endpoints/routing-forms.ts';
import { getCurrentUser } from '#src/upstream/endpoints/users.ts';
import { listWebhookSubscriptions } from '#src/upstream/endpoints/webhook-subscriptions.ts';
import { openUpstream } from '#src/upstream/clients.ts';
import { hasApi, lookingOptions, type Check, type Patient } from './check.ts';
import { doubtful, ill, well, type Finding } from './finding.ts';

export const checkService: Check = async (patient) => {
  const { config, now } = patient;
  if (!hasApi(config))
    return [
      doubtful(
        'service',
        'API_BASE_URL and a token are not set: nothing can be registered, backfilled or compared; deliveries are projected all the same.',
        'Set API_BASE_URL and API_TOKEN, or OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and AUTH_URL.',
      ),
    ];
  const client = openUpstream(config, {}, lookingOptions);
  const sentMs = now().getTime();
  const { value: me, observed } = await getCurrentUser(client);
  const organization = config.api.organizationUri ?? me.current_organization;
  const token = well('token', 'the service accepts it.');
  const clock = clockFinding(patient, (sentMs - Date.parse(observed)) / 1000);
  if (organization == null)
    return [token, clock, ill('service', 'GET /users/me names no organization.', 'Set ORGANIZATION_URI.')];
  return [token, clock, ...(await checkScopes({ client, user: me.uri, organization }, config.events))];
};

/** `observed` is floored to the second and allows for the round trip: a difference of two seconds says nothing. */
function clockFinding({ config }: Patient, aheadSeconds: number): Finding {
  const off = Math.round(aheadSeconds);
  const tolerance = config.signing.toleranceSeconds;
  const told = `this machine is ${Math.abs(off)} s ${off < 0 ? 'behind' : 'ahead of'} the service.`;
  const fix = 'Set the clock by NTP (timedatectl set-ntp true).';
  if (tolerance > 0 && Math.abs(off) > tolerance) return ill('clock', `${told} Every delivery is refused.`, fix);
  return Math.abs(off) > 10 ? doubtful('clock', told, fix) : well('clock', 'agrees with the service.');
}

interface Asking {
  readonly client: Client;
  readonly user: string;
  readonly organization: string;
}

type Probe = (asking: Asking) => AsyncGenerator;

/** The cheapest call that each scope is needed for: which scopes a token has cannot be asked. */
const probes: Readonly<Record<string, Probe>> = {
  'contacts:read': ({ client }) => listContacts(client, { count: 1 }),
  'scheduled_events:read': ({ client, organization }) => listScheduledEvents(client, { organization, count: 1 }),
  'event_types:read': ({ client, organization }) => listEventTypes(client, { organization, count: 1 }),
  'routing_forms:read': ({ client, organization }) => listRoutingForms(client, { organization, count: 1 }),
  'meeting_recaps:read': ({ client, user }) => listMeetingRecaps(client, { user, count: 1 }),
  'webhooks:write': ({ client, organization }) =>
    listWebhookSubscriptions(client, { organization, scope: 'organization', count: 1 }),
};

async function checkScopes(asking: Asking, events: readonly EventKind[]): Promise<readonly Finding[]> {
  const needed = Map.groupBy(events, (kind) => contractOf(kind).requiredCallerScope as string);
  const found: Finding[] = [];
  for (const [scope, probe] of Object.entries(probes)) {
    const kinds = scope === 'webhooks:write' ? events : needed.get(scope);
    if (kinds === undefined) continue;
    const refusal = await refusalOf(probe(asking));
    if (refusal !== undefined) found.push(scopeFinding(refusal, scope, kinds));
  }
  return found.length > 0 ? found : [well('scopes', 'everything that EVENTS asks for can be read.')];
}

async function refusalOf(pages: AsyncGenerator): Promise<ApiError | undefined> {
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
    scope === 'webhooks:write' ? 'nothing can be registered' : `missing in the mirror: ${kinds.join(', ')}`;
  if (refusal.requiredScopes.length > 0)
    return ill('scopes', `the token lacks ${refusal.requiredScopes.join(', ')}; ${missing}.`, refusal.hint ?? '');
  return ill('scopes', `${refusal.message} ${missing}.`, refusal.hint ?? 'Use the token of an owner or administrator.');
}
