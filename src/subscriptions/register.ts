// Registers one subscription: returns why the service refuses it, and adopts one that another run created.
import { commonError } from '#schemas/errors.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { ApiError, isAboutPlan } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { createWebhookSubscription } from '#src/upstream/endpoints.ts';
import { fingerprintOf, freeCallbackUrl } from './callback.ts';
import { findMatching } from './plan.ts';
import type { DesiredSubscription } from './desired.ts';

export interface RegisterNeeds {
  readonly client: Client;
  readonly signingKey: string;
  readonly listAgain: () => Promise<readonly WebhookSubscription[]>;
  readonly signal: AbortSignal | undefined;
}

export interface RegistrationInput {
  readonly desired: DesiredSubscription;
  readonly callback: string;
  readonly keyIds: readonly [string, ...string[]];
  readonly existing: readonly WebhookSubscription[];
}

export type RefusalCause =
  | { readonly kind: 'scopes'; readonly scopes: readonly string[] }
  | { readonly kind: 'plan' | 'permission'; readonly message: string }
  /** `request` is 400: the service says that the request is invalid. */
  | { readonly kind: 'request' | 'unknown'; readonly status: number; readonly message: string }
  /** The URL is taken by a subscription that the token cannot see. */
  | { readonly kind: 'hidden' };

export interface Refusal {
  readonly desired: DesiredSubscription;
  readonly cause: RefusalCause;
}

/** True when the service does not support an optional event. A missing scope or plan is a failure even then. */
export function isAcceptable({ desired, cause }: Refusal): boolean {
  return desired.optional && (cause.kind === 'request' || cause.kind === 'unknown');
}

export type Registration =
  /** `found`: it existed already, or another run created it meanwhile. */
  | { readonly kind: 'created' | 'found'; readonly subscription: WebhookSubscription }
  | { readonly kind: 'refused'; readonly cause: RefusalCause };

/** Each round either ends or finds one more taken URL; the limit is for a service that behaves inconsistently. */
const maxRounds = 12;

export async function registerSubscription(needs: RegisterNeeds, input: RegistrationInput): Promise<Registration> {
  const { desired, callback, keyIds } = input;
  const fingerprint = fingerprintOf({ ...desired, keyId: keyIds[0] });
  let { existing } = input;
  for (let round = 0; round < maxRounds; round += 1) {
    const matching = findMatching(input, desired, existing);
    if (matching) return { kind: 'found', subscription: matching };
    const url = freeCallbackUrl(callback, fingerprint, existing);
    const response = await create(needs, desired, url);
    if (!(response instanceof ApiError)) return { kind: 'created', subscription: response };
    if (response.status !== 409) return { kind: 'refused', cause: causeOf(response) };
    existing = await needs.listAgain();
    if (!existing.some(({ callback_url: seen }) => seen === url)) break;
  }
  return { kind: 'refused', cause: { kind: 'hidden' } };
}

/** Returns a refusal; throws transient errors and a rejected token. */
async function create(
  { client, signingKey, signal }: RegisterNeeds,
  { owner, events }: DesiredSubscription,
  url: string,
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

function causeOf({ status, requiredScopes, apiMessage, details }: ApiError): RefusalCause {
  if (requiredScopes.length > 0) return { kind: 'scopes', scopes: requiredScopes };
  const reasons = details.map(({ parameter, message }) =>
    parameter === undefined ? message : `${parameter}: ${message}`,
  );
  const text = status === 403 || reasons.length === 0 ? apiMessage : reasons.join('; ');
  // The documented text of most errors says nothing.
  const message = text === commonError.message ? '' : text;
  if (status === 403) return { kind: isAboutPlan(message) ? 'plan' : 'permission', message };
  return { kind: status === 400 ? 'request' : 'unknown', status, message };
}
