// How a test registers with the sandbox for everything: one subscription for the organization, and one for each user's recaps,
// since those belong to users only.
import { apiScopes, type ApiScope } from '#schemas/api-scope.ts';
import { contractOf, eventKinds, isEventKind, type EventKind } from '#schemas/events.ts';
import type { TestSandbox } from '../sandbox.ts';

const kinds = Object.keys(eventKinds).filter(isEventKind);
const isForOrganizations = (kind: EventKind): boolean => contractOf(kind).allowedScopes.includes('organization');

export async function registerForAll(
  { handles, service, tokens, call }: TestSandbox,
  { callback, key }: { readonly callback: string; readonly key: string },
): Promise<void> {
  const { organization } = handles;

  async function subscribe(token: string, more: { readonly events: readonly EventKind[] }): Promise<void> {
    const body = { organization, signing_key: key, ...more };
    const answer = await call('POST', '/webhook_subscriptions', { token, body });
    if (answer.status !== 201) throw new Error(`A subscription was refused: ${JSON.stringify(answer.body)}`);
  }

  const shared = { scope: 'organization', url: `${callback}?s=organization`, events: kinds.filter(isForOrganizations) };
  await subscribe(handles.tokens.owner, shared);
  const scopes = Object.keys(apiScopes) as ApiScope[];
  for (const [place, { user }] of service.state.memberships.of('organization', organization).entries()) {
    const events = kinds.filter((kind) => !isForOrganizations(kind));
    const token = tokens.personal(`recaps${place}`, { user, scopes });
    const own = { scope: 'user', user, url: `${callback}?s=recaps${place}`, events };
    await subscribe(token, own);
  }
}
