// Checks the service: it answers, accepts the token, grants the scopes that EVENTS requires, and its clock agrees with ours.
import { contractOf, type EventKind } from '#schemas/events.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
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
import { isOtherOrganization, requireSameOrganization, type Account } from '#workers/sync/mirror-identity.ts';
import { callOptions, hasApi, openMirrorIfAny, type Check, type CheckNeeds, type Report } from './check.ts';

export const checkService: Check = async ({ config, log, now }, report) => {
  if (!hasApi(config))
    return report.warning(
      'service',
      'API_BASE_URL and a token are not set: deliveries are mirrored, but bootstrap, backfill and reconcile cannot run.',
      'Set API_BASE_URL and API_TOKEN, or OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET and AUTH_URL.',
    );
  const client = openUpstream(config, {}, callOptions);
  const sentMs = now().getTime();
  const { value: me, observed } = await getCurrentUser(client);
  const organization = config.api.organizationUri ?? me.current_organization;
  report.ok('token', 'the service accepts it.');
  compareClocks(config, (sentMs - Date.parse(observed)) / 1000, report);
  if (organization == null)
    return report.problem('service', 'GET /users/me names no organization.', 'Set ORGANIZATION_URI.');
  const refusal = await ofOtherOrganization({ config, log }, { origin: client.origin, organization });
  if (refusal !== undefined) return report.problem('organization', refusal.message, refusal.hint ?? '');
  await checkScopes({ client, user: me.uri, organization }, config.events, report);
};

/** The refusal that every command gives with this token; undefined when the mirror belongs to the same organization. */
async function ofOtherOrganization(
  needs: Pick<CheckNeeds, 'config' | 'log'>,
  account: Account,
): Promise<SlotstreamError | undefined> {
  try {
    await using store = await openMirrorIfAny(needs);
    if (store !== undefined) await requireSameOrganization(store, account, { claims: false });
    return undefined;
  } catch (error) {
    if (isOtherOrganization(error)) return error;
    // The check of the store reports it; the service can be checked all the same.
    if (error instanceof SlotstreamError && error.code === 'store_unavailable') return undefined;
    throw error;
  }
}

/** `observed` is rounded down to the second and includes the round trip, so a difference of two seconds means nothing. */
function compareClocks({ signing }: Config, aheadSeconds: number, report: Report): void {
  const off = Math.round(aheadSeconds);
  const tolerance = signing.toleranceSeconds;
  const message = `this machine is ${Math.abs(off)} s ${off < 0 ? 'behind' : 'ahead of'} the service.`;
  const fix = 'Synchronize the clock with NTP: timedatectl set-ntp true';
  if (tolerance > 0 && Math.abs(off) > tolerance)
    return report.problem('clock', `${message} Every delivery is rejected.`, fix);
  if (Math.abs(off) > 10) return report.warning('clock', message, fix);
  return report.ok('clock', 'agrees with the service.');
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

async function checkScopes(needs: ProbeNeeds, events: readonly EventKind[], report: Report): Promise<void> {
  const kindsByScope = Map.groupBy(events, (kind): string => contractOf(kind).requiredCallerScope);
  let areGranted = true;
  for (const [scope, probe] of Object.entries(probes)) {
    const kinds = scope === 'webhooks:write' ? events : kindsByScope.get(scope);
    if (kinds === undefined) continue;
    const refusal = await refusedCall(probe(needs));
    if (refusal === undefined) continue;
    areGranted = false;
    reportRefusal(refusal, { scope, kinds }, report);
  }
  if (areGranted) report.ok('scopes', 'the token can read everything that EVENTS requires.');
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

function reportRefusal(
  refusal: ApiError,
  { scope, kinds }: { readonly scope: string; readonly kinds: readonly EventKind[] },
  report: Report,
): void {
  const missing =
    scope === 'webhooks:write' ? 'bootstrap cannot create subscriptions' : `missing in the mirror: ${kinds.join(', ')}`;
  if (refusal.requiredScopes.length > 0)
    return report.problem(
      'scopes',
      `the token lacks ${refusal.requiredScopes.join(', ')}; ${missing}.`,
      refusal.hint ?? '',
    );
  return report.problem(
    'scopes',
    `${refusal.message} ${missing}.`,
    refusal.hint ?? 'Use the token of an owner or administrator.',
  );
}
