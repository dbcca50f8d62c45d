// Texts for people: subscriptions, steps and refusals, and what a refusal means for the mirror.
import { slotstream } from '#src/base/command.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { EventFamily } from '#schemas/event.ts';
import { endpointScopes } from '#schemas/errors.ts';
import { allEventKinds, contractOf, isEventKind, type EventKind } from '#schemas/events.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { isStatus } from '#src/upstream/api-error.ts';
import type { StepResult } from './apply.ts';
import { ownerOf, type Owner } from './callback.ts';
import type { DesiredSubscription } from './desired.ts';
import type { Step } from './plan.ts';
import { isAcceptable, type Refusal, type RefusalCause } from './register.ts';

export interface StepReport {
  /** As in Terraform; `!` needs attention. */
  readonly mark: '+' | '-' | '=' | '!';
  readonly action: string;
  readonly families: readonly EventFamily[];
  readonly scope: Owner['scope'];
  readonly owner: string;
  readonly events: readonly string[];
  readonly why?: string | undefined;
  readonly uri?: string;
  readonly url?: string;
  readonly cause?: RefusalCause;
}

/** `contact.*, invitee.created`: all events of one subject are abbreviated with a star. */
export function describeEvents(events: readonly string[]): string {
  const prefixOf = (event: string): string => event.slice(0, event.indexOf('.') + 1);
  const whole = new Set(
    allEventKinds.map(prefixOf).filter((prefix) => {
      const alike = allEventKinds.filter((kind) => prefixOf(kind) === prefix);
      return alike.length > 1 && alike.every((kind) => events.includes(kind));
    }),
  );
  const names = events.map((event) => (whole.has(prefixOf(event)) ? `${prefixOf(event)}*` : event));
  return [...new Set(names)].toSorted().join(', ');
}

const familyTexts: Readonly<Record<EventFamily, string>> = {
  contact: 'contacts',
  invitee: 'bookings and no-shows',
  'event-type': 'event types',
  'meeting-recap': 'recaps',
  'routing-form': 'routing form submissions',
};

const familiesOf = (events: readonly string[]): readonly EventFamily[] => [
  ...new Set(events.filter(isEventKind).map((event) => contractOf(event).family)),
];

/** `bookings and no-shows, contacts`: what these events are about. */
export function describeFamilies(events: readonly string[]): string {
  return familiesOf(events)
    .map((family) => familyTexts[family])
    .join(', ');
}

export function describeOwner({ scope, uri }: Pick<Owner, 'scope' | 'uri'>): string {
  return scope === 'organization' ? scope : `${scope} ${uri}`;
}

export function describeStep(step: Step): StepReport {
  switch (step.kind) {
    case 'keep':
      return stepReport('=', 'keep', step.desired, { uri: step.existing.uri });
    case 'create':
      return stepReport('+', 'create', step.desired, { url: step.url });
    case 'refused':
      return notOffered(step.desired);
    case 'delete':
      return oldReport('-', 'delete', step.existing, describeReason(step));
    case 'leftover':
      return oldReport('!', 'leftover', step.existing, 'no longer needed; not deleted');
  }
}

type Details = Pick<StepReport, 'why' | 'uri' | 'url' | 'cause'>;

const stepReport = (
  mark: StepReport['mark'],
  action: string,
  { owner, events }: { readonly owner: Owner; readonly events: readonly string[] },
  details: Details,
): StepReport => ({
  mark,
  action,
  families: familiesOf(events),
  scope: owner.scope,
  owner: owner.uri,
  events,
  ...details,
});

const oldReport = (mark: StepReport['mark'], action: string, old: WebhookSubscription, why?: string): StepReport =>
  stepReport(mark, action, { owner: ownerOf(old), events: old.events ?? [] }, { uri: old.uri, why });

/** For optional events: nothing is wrong, and there is nothing to do. */
function notOffered(desired: DesiredSubscription): StepReport {
  const why = `the service does not offer it, or the token lacks ${scopesOf(desired.events)}; backfill and reconcile provide ${describeFamilies(desired.events)}`;
  return stepReport('=', 'not offered', desired, { why });
}

function describeReason({ why, existing }: Extract<Step, { readonly kind: 'delete' }>): string | undefined {
  switch (why) {
    case 'disabled':
      return 'the service has disabled it';
    case 'key':
      return 'made with another signing key';
    case 'events':
      return familiesOf(existing.events ?? []).length > 1 ? 'replaced by one per family' : 'made for other events';
    case 'duplicate':
      return 'another one delivers the same';
    case 'leftover':
      return 'no longer needed';
    case 'removed':
      return undefined;
  }
}

export function describeResult(result: StepResult): StepReport {
  switch (result.kind) {
    case 'unchanged':
    case 'created':
    case 'found':
      return stepReport(result.kind === 'created' ? '+' : '=', result.kind, result.desired, {
        uri: result.subscription.uri,
      });
    case 'refused': {
      // The note of `describeRefusals` has the reason, once for all that have the same.
      const { desired, cause } = result.refusal;
      return isAcceptable(result.refusal) ? notOffered(desired) : stepReport('!', 'refused', desired, { cause });
    }
    case 'failed':
      return stepReport('!', 'failed', result.desired, { why: describeError(result.error) });
    case 'deleted':
      return oldReport('-', 'deleted', result.subscription);
    case 'retained': {
      const why = `no other subscription delivers ${describeEvents(result.events)}`;
      return oldReport('!', 'retained', result.subscription, why);
    }
    case 'undeletable': {
      const { subscription, error } = result;
      const why = isStatus(error, 403) ? 'the token is not allowed to delete it' : describeError(error);
      return oldReport('!', 'not deleted', subscription, why);
    }
  }
}

const describeError = (error: unknown): string => (error instanceof SlotstreamError ? error.message : codeOf(error));

const scopesOf = (events: readonly EventKind[]): string =>
  [...new Set(events.map((event) => contractOf(event).requiredCallerScope))].join(', ');

/** What happened, what it means, and what to do, in three lines for each cause: several families may be refused for the same. */
export function describeRefusals(refusals: readonly Refusal[]): readonly string[] {
  const groups = Map.groupBy(refusals, ({ desired, cause }) =>
    JSON.stringify(
      cause.kind === 'scopes' ? ['scopes', lacksWebhookScope(cause.scopes)] : [cause, desired.owner.scope],
    ),
  );
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    const scopes = alike.flatMap(({ cause }) => (cause.kind === 'scopes' ? cause.scopes : []));
    const cause = first.cause.kind === 'scopes' ? { ...first.cause, scopes: [...new Set(scopes)] } : first.cause;
    const events = alike.flatMap(({ desired }) => desired.events);
    return [describeRefusal({ cause, owner: first.desired.owner, events })];
  });
}

interface AlikeRefusals {
  readonly cause: RefusalCause;
  readonly owner: Owner;
  readonly events: readonly EventKind[];
}

function describeRefusal(refused: AlikeRefusals): string {
  const { cause, events } = refused;
  const names = describeFamilies(events);
  const what = `Not registered: ${names}. ${describeCause(refused)}.`;
  // Without the scope the data cannot be read from the API either.
  const isUnreadable = cause.kind === 'scopes' && !lacksWebhookScope(cause.scopes);
  const meaning = isUnreadable
    ? `Missing in the mirror: ${names}.`
    : `Only backfill and reconcile provide ${names}, with a delay, where the token may read them.`;
  return `${what}\n${meaning}\n→ ${remedyFor(refused)}`;
}

const lacksWebhookScope = (scopes: readonly string[]): boolean =>
  scopes.includes(endpointScopes['POST /webhook_subscriptions']);

function describeCause({ cause, owner: { scope } }: AlikeRefusals): string {
  switch (cause.kind) {
    case 'scopes':
      return `The token lacks the scope${cause.scopes.length === 1 ? '' : 's'} ${cause.scopes.join(', ')}`;
    case 'plan':
      return `The plan of the account does not include it${quoted(cause.message)}`;
    case 'permission':
      return `The user of the token is not allowed to subscribe for ${scope === 'user' ? 'this user' : `the ${scope}`}${quoted(cause.message)}`;
    case 'hidden':
      return 'A subscription with this address exists that the token cannot see';
    default:
      return `The service answered ${cause.status}${quoted(cause.message)}`;
  }
}

const quoted = (message: string): string => (message === '' ? '' : `: ${message.replace(/\.$/, '')}`);

function remedyFor({ cause, owner: { scope }, events }: AlikeRefusals): string {
  const addresses = 'PUBLIC_URL, ORGANIZATION_URI, USER_URI and GROUP_URI';
  switch (cause.kind) {
    case 'scopes': {
      const scopes = [...new Set([...cause.scopes, ...events.map((event) => contractOf(event).requiredCallerScope)])];
      return `Create a token with ${scopes.join(', ')} (with OAuth: ${slotstream} login), then run bootstrap again.`;
    }
    case 'plan':
      return 'Upgrade the account, then run bootstrap again; or remove these events from EVENTS.';
    case 'permission':
      return scope === 'user'
        ? `Only that user can subscribe: set API_TOKEN to their token, or have them run: ${slotstream} login`
        : 'Use the token of an owner or administrator of the organization, then run bootstrap again.';
    case 'hidden':
      return 'Use the token that created it, or delete it with that token.';
    case 'request':
      // A6g.
      return `First check that the token has ${scopesOf(events)}: the service may answer 400 when it is missing. Then check ${addresses}; or remove these events from EVENTS.`;
    case 'unknown':
      return `Check ${addresses}; or remove these events from EVENTS.`;
  }
}
