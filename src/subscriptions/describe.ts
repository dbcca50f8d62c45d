// How subscriptions, steps and refusals are told to a person, and what a refusal means for the mirror.
import type { EventFamily } from '#schemas/event.ts';
import { endpointScopes } from '#schemas/errors.ts';
import { contractOf, eventKinds, isEventKind, type EventKind } from '#schemas/events.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import type { Deed } from './apply.ts';
import { ownerOf, type Owner } from './callback.ts';
import type { Difference, Step } from './plan.ts';
import { isExcused, type Refusal, type RefusalCause } from './register.ts';

/** As people know it from Terraform. */
export interface Line {
  readonly mark: '+' | '-' | '~' | '=' | '!';
  readonly action: string;
  readonly owner: Owner;
  readonly events: readonly string[];
  readonly why?: string | undefined;
}

const allKinds = Object.keys(eventKinds).filter(isEventKind);

/** `contact.*, invitee.created`: a family that is there as a whole gets a star. */
export function eventsInWords(events: readonly string[]): string {
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

export function ownerInWords({ scope, uri }: Owner): string {
  return scope === 'organization' ? scope : `${scope} ${uri}`;
}

export function stepInWords(step: Step): Line {
  switch (step.kind) {
    case 'keep':
      return { mark: '=', action: 'keep', ...step.wanted };
    case 'create':
      return { mark: '+', action: 'create', ...step.wanted };
    case 'replace':
      return { mark: '~', action: 'replace', ...step.wanted, why: reasons(step.replaces.map(({ why }) => why)) };
    case 'refused':
      return { mark: '!', action: 'refused', ...step.wanted, why: 'the service did not take it; bootstrap asks again' };
    case 'delete':
      return { mark: '-', action: 'delete', ...partsOf(step.existing), why: endings[step.why] };
    case 'leftover':
      return { mark: '!', action: 'leftover', ...partsOf(step.existing), why: 'not wanted any more; stays' };
  }
}

const endings = { superseded: 'another one has taken over', leftover: 'not wanted any more' } as const;

const partsOf = (one: WebhookSubscription) => ({ owner: ownerOf(one), events: one.events ?? [] });

function reasons(differences: readonly Difference[]): string {
  return [...new Set(differences.map(differenceInWords))].join('; ');
}

function differenceInWords(difference: Difference): string {
  switch (difference.kind) {
    case 'disabled':
      return 'the service has disabled it';
    case 'key':
      return 'made with another signing key';
    case 'events': {
      const { added, removed } = difference;
      const parts = [
        added.length > 0 && `+ ${eventsInWords(added)}`,
        removed.length > 0 && `- ${eventsInWords(removed)}`,
      ];
      return parts.filter((part) => part !== false).join(' ');
    }
  }
}

export function deedInWords(deed: Deed): Line {
  switch (deed.kind) {
    case 'kept':
      return { mark: '=', action: 'kept', ...deed.wanted };
    case 'created':
      return { mark: '+', action: 'created', ...partsOf(deed.subscription) };
    case 'found':
      return { mark: '=', action: 'found', ...partsOf(deed.subscription) };
    case 'deleted':
      return { mark: '-', action: 'deleted', ...partsOf(deed.subscription) };
    case 'spared': {
      const why = `it alone still delivers ${eventsInWords(deed.events)}`;
      return { mark: '!', action: 'spared', ...partsOf(deed.subscription), why };
    }
    case 'undeletable':
      return { mark: '!', action: 'stays', ...partsOf(deed.subscription), why: 'the token may not delete it' };
    case 'refused':
      return { mark: '!', action: 'refused', owner: deed.refusal.wanted.owner, events: deed.refusal.events };
  }
}

function causeInWords(cause: RefusalCause, { scope }: Owner): string {
  switch (cause.kind) {
    case 'scopes':
      return `the token lacks the scope${cause.scopes.length === 1 ? '' : 's'} ${cause.scopes.join(', ')}`;
    case 'permission':
      return isAboutPlan(cause)
        ? `the plan of the account does not include it (${cause.message})`
        : `the user of the token may not subscribe for ${scope === 'user' ? 'this user' : `the ${scope}`} (${cause.message})`;
    case 'hidden':
      return 'a subscription with this address exists that the token cannot see';
    default:
      return `the service did not take it (${cause.message})`;
  }
}

function isAboutPlan(cause: RefusalCause): boolean {
  return cause.kind === 'permission' && /upgrade|plan\b|level/i.test(cause.message);
}

/** What happened, what it means, what to do. */
export function refusalInWords(refusal: Refusal): readonly [string, string, string] {
  const { wanted, events, cause } = refusal;
  const what = `${eventsInWords(events)} could not be registered: ${causeInWords(cause, wanted.owner)}.`;
  const missing = missingInMirror(events);
  if (isExcused(refusal))
    return [what, `Only backfill and reconcile bring ${missing}.`, 'Nothing to do: it is optional.'];
  // Without the scope the same data cannot be read either.
  const isUnreadable = cause.kind === 'scopes' && !cause.scopes.includes(endpointScopes['POST /webhook_subscriptions']);
  const meaning = isUnreadable
    ? `Missing in the mirror: ${missing}.`
    : `Only backfill and reconcile bring ${missing}, late.`;
  return [what, meaning, remedyFor(refusal)];
}

function remedyFor({ wanted, events, cause }: Refusal): string {
  switch (cause.kind) {
    case 'scopes': {
      const scopes = [...new Set([...cause.scopes, ...events.map((event) => contractOf(event).requiredCallerScope)])];
      return `Make a token with ${scopes.join(', ')} (with OAuth: npx slotstream login), then run bootstrap again.`;
    }
    case 'permission':
      if (isAboutPlan(cause))
        return 'Upgrade the account, then run bootstrap again; or take these events out of EVENTS.';
      return wanted.owner.scope === 'user'
        ? 'Only that user can: set API_TOKEN to their token, or have them run: npx slotstream login'
        : 'Use the token of an owner or administrator of the organization, then run bootstrap again.';
    case 'hidden':
      return 'Use the token that made it, or delete it with that token.';
    default:
      return 'Check PUBLIC_URL, ORGANIZATION_URI, USER_URI and GROUP_URI; or take these events out of EVENTS.';
  }
}

const stories: Readonly<Record<EventFamily, string>> = {
  contact: 'new, changed and deleted contacts',
  invitee: 'bookings, cancellations and no-shows',
  'event-type': 'changes of event types',
  'meeting-recap': 'recaps',
  'routing-form': 'routing form submissions',
};

/** What no webhook will tell. */
export function missingInMirror(events: readonly EventKind[]): string {
  return [...new Set(events.map((event) => stories[contractOf(event).family]))].join('; ');
}
