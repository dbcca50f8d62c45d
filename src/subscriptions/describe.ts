// Texts for people: subscriptions, steps and refusals, and what a refusal means for the mirror.
import { slotstream } from '#src/base/command.ts';
import type { EventFamily } from '#schemas/event.ts';
import { endpointScopes } from '#schemas/errors.ts';
import { contractOf, eventKinds, isEventKind, type EventKind } from '#schemas/events.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import type { StepResult } from './apply.ts';
import { ownerOf, type Owner } from './callback.ts';
import type { Difference, Step } from './plan.ts';
import type { Refusal, RefusalCause } from './register.ts';

/** One line of the plan, marked as in Terraform. */
export interface DescribedStep {
  readonly mark: '+' | '-' | '~' | '=' | '!';
  readonly action: string;
  readonly owner: Owner;
  readonly events: readonly string[];
  readonly why?: string | undefined;
}

const allKinds = Object.keys(eventKinds).filter(isEventKind);

/** `contact.*, invitee.created`: a complete family is abbreviated with a star. */
export function describeEvents(events: readonly string[]): string {
  const prefixOf = (event: string): string => event.slice(0, event.indexOf('.') + 1);
  const whole = new Set(
    allKinds.map(prefixOf).filter((prefix) => {
      const family = allKinds.filter((kind) => prefixOf(kind) === prefix);
      return family.length > 1 && family.every((kind) => events.includes(kind));
    }),
  );
  const names = events.map((event) => (whole.has(prefixOf(event)) ? `${prefixOf(event)}*` : event));
  return [...new Set(names)].toSorted().join(', ');
}

export function describeOwner({ scope, uri }: Owner): string {
  return scope === 'organization' ? scope : `${scope} ${uri}`;
}

export function describeStep(step: Step): DescribedStep {
  switch (step.kind) {
    case 'keep':
      return { mark: '=', action: 'keep', ...step.desired };
    case 'create':
      return { mark: '+', action: 'create', ...step.desired };
    case 'replace':
      return { mark: '~', action: 'replace', ...step.desired, why: reasons(step.replaces.map(({ why }) => why)) };
    case 'refused':
      return { mark: '!', action: 'refused', ...step.desired, why: 'the service refused it; bootstrap will try again' };
    case 'delete':
      return { mark: '-', action: 'delete', ...partsOf(step.existing), why: endings[step.why] };
    case 'leftover':
      return { mark: '!', action: 'leftover', ...partsOf(step.existing), why: 'no longer needed; not deleted' };
  }
}

const endings = { superseded: 'replaced by another one', leftover: 'no longer needed', removed: undefined } as const;

const partsOf = (one: WebhookSubscription) => ({ owner: ownerOf(one), events: one.events ?? [] });

function reasons(differences: readonly Difference[]): string {
  return [...new Set(differences.map(describeDifference))].join('; ');
}

function describeDifference(difference: Difference): string {
  switch (difference.kind) {
    case 'disabled':
      return 'the service has disabled it';
    case 'key':
      return 'made with another signing key';
    case 'events': {
      const { added, removed } = difference;
      const parts = [
        added.length > 0 && `+ ${describeEvents(added)}`,
        removed.length > 0 && `- ${describeEvents(removed)}`,
      ];
      return parts.filter((part) => part !== false).join(' ');
    }
  }
}

export function describeResult(result: StepResult): DescribedStep {
  switch (result.kind) {
    case 'unchanged':
      return { mark: '=', action: 'unchanged', ...result.desired };
    case 'created':
      return { mark: '+', action: 'created', ...partsOf(result.subscription) };
    case 'found':
      return { mark: '=', action: 'found', ...partsOf(result.subscription) };
    case 'deleted':
      return { mark: '-', action: 'deleted', ...partsOf(result.subscription) };
    case 'spared': {
      const why = `no other subscription delivers ${describeEvents(result.events)}`;
      return { mark: '!', action: 'spared', ...partsOf(result.subscription), why };
    }
    case 'undeletable':
      return {
        mark: '!',
        action: 'stays',
        ...partsOf(result.subscription),
        why: 'the token is not allowed to delete it',
      };
    case 'refused':
      return { mark: '!', action: 'refused', owner: result.refusal.desired.owner, events: result.refusal.events };
  }
}

function describeCause(cause: RefusalCause, { scope }: Owner): string {
  switch (cause.kind) {
    case 'scopes':
      return `the token lacks the scope${cause.scopes.length === 1 ? '' : 's'} ${cause.scopes.join(', ')}`;
    case 'permission':
      return isAboutPlan(cause)
        ? `the plan of the account does not include it (${cause.message})`
        : `the user of the token is not allowed to subscribe for ${scope === 'user' ? 'this user' : `the ${scope}`} (${cause.message})`;
    case 'hidden':
      return 'a subscription with this address exists that the token cannot see';
    default:
      return `the service refused it (${cause.message})`;
  }
}

function isAboutPlan(cause: RefusalCause): boolean {
  return cause.kind === 'permission' && /upgrade|plan\b|level/i.test(cause.message);
}

/** For optional events that the service does not offer: nothing is wrong, and there is nothing to do. */
export function describeUnsupported(events: readonly EventKind[]): string {
  const families = [...new Set(events.map((event) => event.slice(0, event.indexOf('.'))))].join(', ');
  return `The service has no ${families} webhooks. Only backfill and reconcile provide ${describeMissingData(events)}.`;
}

/** Returns what happened, what it means, and what to do. */
export function describeRefusal(refusal: Refusal): readonly [string, string, string] {
  const { desired, events, cause } = refusal;
  const what = `${describeEvents(events)} could not be registered: ${describeCause(cause, desired.owner)}.`;
  const missing = describeMissingData(events);
  // Without the scope the data cannot be read from the API either.
  const isUnreadable = cause.kind === 'scopes' && !cause.scopes.includes(endpointScopes['POST /webhook_subscriptions']);
  const meaning = isUnreadable
    ? `Missing in the mirror: ${missing}.`
    : `Only backfill and reconcile provide ${missing}, with a delay.`;
  return [what, meaning, remedyFor(refusal)];
}

function remedyFor({ desired, events, cause }: Refusal): string {
  switch (cause.kind) {
    case 'scopes': {
      const scopes = [...new Set([...cause.scopes, ...events.map((event) => contractOf(event).requiredCallerScope)])];
      return `Create a token with ${scopes.join(', ')} (with OAuth: ${slotstream} login), then run bootstrap again.`;
    }
    case 'permission':
      if (isAboutPlan(cause))
        return 'Upgrade the account, then run bootstrap again; or remove these events from EVENTS.';
      return desired.owner.scope === 'user'
        ? `Only that user can subscribe: set API_TOKEN to their token, or have them run: ${slotstream} login`
        : 'Use the token of an owner or administrator of the organization, then run bootstrap again.';
    case 'hidden':
      return 'Use the token that created it, or delete it with that token.';
    default:
      return 'Check PUBLIC_URL, ORGANIZATION_URI, USER_URI and GROUP_URI; or remove these events from EVENTS.';
  }
}

const familyTexts: Readonly<Record<EventFamily, string>> = {
  contact: 'new, changed and deleted contacts',
  invitee: 'bookings, cancellations and no-shows',
  'event-type': 'changes of event types',
  'meeting-recap': 'recaps',
  'routing-form': 'routing form submissions',
};

/** What no webhook will deliver. */
export function describeMissingData(events: readonly EventKind[]): string {
  return [...new Set(events.map((event) => familyTexts[contractOf(event).family]))].join('; ');
}
