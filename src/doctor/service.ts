// Checks the service: it answers, accepts the token, lets every list be read that `backfill` reads, and its clock agrees with ours.
import { allEventKinds, type EventKind } from '#schemas/events.ts';
import { canCallService } from '#src/app/background.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import { ApiError, isStatus } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import {
  deleteInviteeNoShow,
  listEventInvitees,
  listRoutingFormSubmissions,
  listWebhookSubscriptions,
} from '#src/upstream/endpoints.ts';
import { openUpstream } from '#src/upstream/clients.ts';
import { neededScopes, scopePurposes } from '#src/upstream/needed-scopes.ts';
import { isOtherOrganization, requireSameOrganization, type Account } from '#workers/sync/mirror-identity.ts';
import { wantedResources } from '#workers/sync/reconcile/plan.ts';
import { isReadFailure } from '#workers/sync/resources/left-out.ts';
import type { Notice, Resource, ResourceName } from '#workers/sync/resources/registry.ts';
import { openSources, type Sources } from '#workers/sync/sources.ts';
import { callOptions, openIfAny, type Check, type CheckNeeds, type Report } from './check.ts';

export const checkService: Check = async ({ config, mirror }, report) => {
  if (!canCallService(config))
    return report.warning(
      'service',
      'API_TOKEN is not set: deliveries are mirrored, but bootstrap, backfill and reconcile cannot run.',
      'Set API_TOKEN, or OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.',
    );
  let aheadMs: number | undefined;
  const onClock = (ms: number): void => void (aheadMs = ms);
  const refusals: Refusal[] = [];
  const sources = await openSources(config, { onClock }, callOptions).catch((error: unknown) => {
    if (!isStatus(error, 403)) throw error;
    refusals.push({ list: 'the user of the token', error });
  });
  const refusal = sources && (await ofOtherOrganization({ mirror }, { ...sources, origin: sources.client.origin }));
  if (refusal !== undefined) return report.problem('organization', refusal.message, refusal.hint ?? '');
  const events = await eventsOf({ config, mirror });
  const read = { events, onlyScopes: sources === undefined };
  refusals.push(...(await refusedLists(config, sources ?? unknownAccount(config, onClock), read)));
  // Every answer has the time of the service.
  if (aheadMs !== undefined) {
    report.ok('token', 'the service accepts it.');
    compareClocks(config, aheadMs / 1000, report);
  }
  reportRefusals(neededScopes(config, events), refusals, report);
};

/** Those of the mirror; where it cannot be opened, those of this environment. */
const eventsOf = async ({ config, mirror }: Pick<CheckNeeds, 'config' | 'mirror'>): Promise<readonly EventKind[]> =>
  mirror().then(
    ({ settings }) => settings.events,
    () => config.stated.events ?? allEventKinds,
  );

/** The refusal that every command gives with this token; undefined when the mirror belongs to the same organization. */
async function ofOtherOrganization(
  { mirror }: Pick<CheckNeeds, 'mirror'>,
  account: Account,
): Promise<SlotstreamError | undefined> {
  try {
    const store = await openIfAny(mirror);
    if (store !== undefined) await requireSameOrganization(store, account, { claims: false });
    return undefined;
  } catch (error) {
    if (isOtherOrganization(error)) return error;
    // The check of the store reports it; the service can be checked all the same.
    if (error instanceof SlotstreamError && error.code === 'store_unavailable') return undefined;
    throw error;
  }
}

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

const unknown = '00000000-0000-0000-0000-000000000000';

interface Refusal {
  readonly list: string;
  readonly error: SlotstreamError;
}

/** Without the organization, only whether a scope is missing can be asked: the service checks that first. */
function unknownAccount(config: Config, onClock: (ms: number) => void): Sources {
  const client = openUpstream(config, { onClock }, callOptions);
  const users = [{ uri: `${client.origin}/users/${unknown}`, client }];
  return { client, organization: `${client.origin}/organizations/${unknown}`, users };
}

/** Reads the first page of every list that `backfill` and `bootstrap` read, and of the lists within them that of one record. */
async function refusedLists(
  config: Config,
  sources: Sources,
  { events, onlyScopes }: { readonly events: readonly EventKind[]; readonly onlyScopes: boolean },
): Promise<readonly Refusal[]> {
  const { client, organization, users } = sources;
  const first = async (resource: Resource, of: Sources = sources): Promise<readonly Notice[]> => {
    const { value: page } = await resource.pages(of, { isBrief: true }).next();
    const uri = page?.records[0]?.record['uri'];
    if (typeof uri === 'string') await within[resource.name]?.(client, uri).next();
    return page?.notices ?? [];
  };
  const lists: readonly { readonly name: string; readonly first: () => Promise<readonly Notice[]> }[] = [
    ...wantedResources(events).flatMap((resource) =>
      resource.name === 'meeting_recaps'
        ? users.map((user) => ({ name: resource.name, first: () => first(resource, { ...sources, users: [user] }) }))
        : [{ name: resource.name, first: () => first(resource) }],
    ),
    {
      name: 'webhook_subscriptions',
      first: () =>
        listWebhookSubscriptions(client, { organization, scope: 'organization', count: 1 })
          .next()
          .then(() => []),
    },
    ...(config.answers ? [{ name: 'no-show marks', first: () => mayMark(client) }] : []),
  ];
  const refusals: Refusal[] = [];
  for (const { name, first } of lists) {
    try {
      for (const notice of await first())
        if (notice.kind === 'left_out') refusals.push({ list: notice.list, error: notice.error });
    } catch (error) {
      if (!isReadFailure(error) || isStatus(error, 401)) throw error;
      refusals.push({ list: name, error });
    }
  }
  return onlyScopes ? refusals.filter(({ error }) => scopesIn(error).length > 0) : refusals;
}

/** Asks to remove a mark that does not exist: the service checks the scope first. */
async function mayMark(client: Client): Promise<readonly Notice[]> {
  await deleteInviteeNoShow(client, `${client.origin}/invitee_no_shows/${unknown}`).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
  });
  return [];
}

const within: Partial<Record<ResourceName, (client: Client, uri: string) => AsyncGenerator>> = {
  scheduled_events: (client, uri) => listEventInvitees(client, uri),
  routing_forms: (client, form) => listRoutingFormSubmissions(client, { form, count: 1 }),
};

const scopesIn = (error: SlotstreamError): readonly string[] => (error instanceof ApiError ? error.requiredScopes : []);

/** All missing scopes in one line: a token cannot be changed, so a new one must have them all. */
function reportRefusals(needed: readonly string[], refusals: readonly Refusal[], report: Report): void {
  const lacking = new Set(refusals.flatMap(({ error }) => scopesIn(error)));
  if (lacking.size > 0) {
    const purposes: Readonly<Record<string, string>> = scopePurposes;
    const texts = [...lacking].map((scope) => `${scope} (${purposes[scope] ?? 'read by backfill'})`);
    report.problem(
      'scopes',
      `the token lacks ${texts.join(', ')}.`,
      `Create a token with ${needed.join(', ')}; with OAuth, select them for the application and log in again.`,
    );
  }
  for (const { list, error } of refusals.filter((refusal) => scopesIn(refusal.error).length === 0))
    report.problem('lists', `${list} cannot be read. ${error.message}`, error.hint ?? 'Try again later.');
  if (refusals.length === 0) report.ok('scopes', 'the token can read everything that EVENTS requires.');
}
