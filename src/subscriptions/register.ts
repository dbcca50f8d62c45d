// Registers one subscription: leaves out events the service refuses for a missing scope, and adopts one that another run created.
import { contractOf, type EventKind } from '#schemas/events.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { ApiError } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { createWebhookSubscription } from '#src/upstream/endpoints.ts';
import { fingerprintOf, freeCallbackUrl } from './callback.ts';
import { findMatching } from './plan.ts';
import type { DesiredSubscription } from './desired.ts';

export interface RegisterNeeds {
  readonly client: Client;
  readonly signingKey: string;
  /** Lists what exists now for this owner. */
  readonly listAgain: () => Promise<readonly WebhookSubscription[]>;
  readonly signal: AbortSignal | undefined;
}

export interface Registering {
  readonly desired: DesiredSubscription;
  readonly callback: string;
  readonly keyIds: readonly [string, ...string[]];
  readonly existing: readonly WebhookSubscription[];
}

export type RefusalCause =
  | { readonly kind: 'scopes'; readonly scopes: readonly string[] }
  | { readonly kind: 'permission' | 'request' | 'unknown'; readonly message: string }
  /** The URL is taken by a subscription that the token cannot see. */
  | { readonly kind: 'hidden' };

export interface Refusal {
  readonly desired: DesiredSubscription;
  /** The desired events that this cause affects. */
  readonly events: readonly EventKind[];
  readonly cause: RefusalCause;
}

/** True when the service does not support an optional event. A missing scope or plan is a failure even then. */
export function isAcceptable({ desired, cause }: Refusal): boolean {
  return desired.optional && (cause.kind === 'request' || cause.kind === 'unknown');
}

export interface Registration {
  /** Undefined when none of its events could be registered. */
  readonly subscription: WebhookSubscription | undefined;
  /** False when it existed already, or another run created it meanwhile. */
  readonly isNew: boolean;
  readonly refusals: readonly Refusal[];
}

/** Each round either ends, leaves out events, or finds one more taken URL; the limit is for a service that behaves inconsistently. */
const maxRounds = 12;

export async function registerSubscription(needs: RegisterNeeds, input: Registering): Promise<Registration> {
  const { desired, callback, keyIds } = input;
  const refusals: Refusal[] = [];
  let { events } = desired;
  let { existing } = input;
  const refuse = (affected: readonly EventKind[], cause: RefusalCause): void =>
    void refusals.push({ desired, events: affected, cause });
  for (let round = 0; round < maxRounds; round += 1) {
    const matching = findMatching(input, { ...desired, events }, existing);
    if (matching) return { subscription: matching, isNew: false, refusals };
    const fingerprint = fingerprintOf({ owner: desired.owner, events, keyId: keyIds[0] });
    const url = freeCallbackUrl(callback, fingerprint, existing);
    const response = await create(needs, { desired, events, url });
    if (!(response instanceof ApiError)) return { subscription: response, isNew: true, refusals };
    if (response.status === 409) {
      existing = await needs.listAgain();
      if (existing.some(({ callback_url: seen }) => seen === url)) continue;
      refuse(events, { kind: 'hidden' });
      break;
    }
    const affected = affectedEvents(response.requiredScopes, events);
    refuse(affected, causeOf(response, needs.signingKey));
    events = events.filter((event) => !affected.includes(event));
    if (events.length === 0) break;
  }
  return { subscription: undefined, isNew: false, refusals };
}

/** Returns a refusal; throws transient errors and a rejected token. */
async function create(
  { client, signingKey, signal }: RegisterNeeds,
  { desired: { owner }, events, url }: { desired: DesiredSubscription; events: readonly EventKind[]; url: string },
): Promise<WebhookSubscription | ApiError> {
  const { scope, organization, uri } = owner;
  const whose = scope === 'organization' ? {} : { [scope]: uri };
  const request = { url, events: [...events], organization, scope, signing_key: signingKey, ...whose };
  try {
    return (await createWebhookSubscription(client, request, { signal })).value;
  } catch (error) {
    if (error instanceof ApiError && !error.isTransient && error.status !== 401) return error;
    throw error;
  }
}

/** The events that need a missing scope: all of them when the scope belongs to no event, or the refusal has another reason. */
function affectedEvents(scopes: readonly string[], events: readonly EventKind[]): readonly EventKind[] {
  const belongsToEvent = (scope: string): boolean =>
    events.some((event) => contractOf(event).requiredCallerScope === scope);
  if (scopes.length === 0 || !scopes.every(belongsToEvent)) return events;
  return events.filter((event) => scopes.includes(contractOf(event).requiredCallerScope));
}

function causeOf({ status, requiredScopes, apiMessage, details }: ApiError, secret: string): RefusalCause {
  if (requiredScopes.length > 0) return { kind: 'scopes', scopes: requiredScopes };
  const reasons = details.map(({ parameter, message }) =>
    parameter === undefined ? message : `${parameter}: ${message}`,
  );
  const message = status === 403 || reasons.length === 0 ? apiMessage : reasons.join('; ');
  const kind = status === 403 ? 'permission' : status === 400 ? 'request' : 'unknown';
  // A service that echoes what it was sent must not get the key into a terminal.
  return { kind, message: message.replaceAll(secret, '…') };
}
