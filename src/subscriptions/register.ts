// One subscription, made: what the service refuses for want of a scope is left out, what another run made first is taken over.
import { contractOf, type EventKind } from '#schemas/events.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { ApiError } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { createWebhookSubscription } from '#src/upstream/endpoints/webhook-subscriptions.ts';
import { fingerprintOf, freeCallbackUrl } from './callback.ts';
import { standingOf } from './plan.ts';
import type { Wanted } from './desired.ts';

export interface RegisterNeeds {
  readonly client: Client;
  readonly signingKey: string;
  /** What exists by now, for this owner. */
  readonly look: () => Promise<readonly WebhookSubscription[]>;
  readonly signal: AbortSignal | undefined;
}

export interface Registering {
  readonly wanted: Wanted;
  readonly callback: string;
  readonly keyIds: readonly [string, ...string[]];
  readonly existing: readonly WebhookSubscription[];
}

export type RefusalCause =
  | { readonly kind: 'scopes'; readonly scopes: readonly string[] }
  | { readonly kind: 'permission' | 'request' | 'unknown'; readonly message: string }
  /** The URL is taken by a subscription that no list shows us. */
  | { readonly kind: 'hidden' };

export interface Refusal {
  readonly wanted: Wanted;
  /** Those of the wanted events that this cause keeps out. */
  readonly events: readonly EventKind[];
  readonly cause: RefusalCause;
}

/** The service does not know an optional event: no failure, and not news every time. For want of a scope or plan it is one. */
export function isExcused({ wanted, cause }: Refusal): boolean {
  return wanted.optional && (cause.kind === 'request' || cause.kind === 'unknown');
}

export interface Registration {
  /** Undefined when nothing of it could be had. */
  readonly standing: WebhookSubscription | undefined;
  /** False when it stood already, or another run made it meanwhile. */
  readonly isNew: boolean;
  readonly refusals: readonly Refusal[];
}

/** Each turn either ends, leaves out events, or knows of one more taken URL; the bound is for a service that makes no sense. */
const mostTurns = 12;

export async function registerSubscription(needs: RegisterNeeds, input: Registering): Promise<Registration> {
  const { wanted, callback, keyIds } = input;
  const refusals: Refusal[] = [];
  let { events } = wanted;
  let { existing } = input;
  const refuse = (kept: readonly EventKind[], cause: RefusalCause): void =>
    void refusals.push({ wanted, events: kept, cause });
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const standing = standingOf(input, { ...wanted, events }, existing);
    if (standing) return { standing, isNew: false, refusals };
    const fingerprint = fingerprintOf({ owner: wanted.owner, events, keyId: keyIds[0] });
    const taken = existing.map(({ callback_url: url }) => url ?? '');
    const url = freeCallbackUrl(callback, fingerprint, taken);
    const answer = await create(needs, { wanted, events, url });
    if (!(answer instanceof ApiError)) return { standing: answer, isNew: true, refusals };
    if (answer.status === 409) {
      existing = await needs.look();
      if (existing.some(({ callback_url: seen }) => seen === url)) continue;
      refuse(events, { kind: 'hidden' });
      break;
    }
    const bereft = eventsWithout(answer.requiredScopes, events);
    refuse(bereft, causeOf(answer, needs.signingKey));
    events = events.filter((event) => !bereft.includes(event));
    if (events.length === 0) break;
  }
  return { standing: undefined, isNew: false, refusals };
}

/** A refusal is an answer; anything that passes by itself, and a token that is not accepted, is thrown. */
async function create(
  { client, signingKey, signal }: RegisterNeeds,
  { wanted: { owner }, events, url }: { wanted: Wanted; events: readonly EventKind[]; url: string },
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

/** The events a missing scope keeps out: all of them when the scope is not tied to an event, or the refusal is of another kind. */
function eventsWithout(scopes: readonly string[], events: readonly EventKind[]): readonly EventKind[] {
  const isTied = (scope: string): boolean => events.some((event) => contractOf(event).requiredCallerScope === scope);
  if (scopes.length === 0 || !scopes.every(isTied)) return events;
  return events.filter((event) => scopes.includes(contractOf(event).requiredCallerScope));
}

function causeOf({ status, requiredScopes, apiMessage, details }: ApiError, secret: string): RefusalCause {
  if (requiredScopes.length > 0) return { kind: 'scopes', scopes: requiredScopes };
  const said = details.map(({ parameter, message }) =>
    parameter === undefined ? message : `${parameter}: ${message}`,
  );
  const words = status === 403 || said.length === 0 ? apiMessage : said.join('; ');
  const kind = status === 403 ? 'permission' : status === 400 ? 'request' : 'unknown';
  // A service that echoes what it was sent must not get the key into a terminal.
  return { kind, message: words.replaceAll(secret, '…') };
}
