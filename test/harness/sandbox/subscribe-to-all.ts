// How a test registers with the sandbox for everything: one subscription for the organization, one for its routing forms, which allow
// no other scope, and one for each user's recaps, since those belong to users only.
import { apiScopes, type ApiScope } from '#schemas/api-scope.ts';
import { contractOf, eventKinds, isEventKind, type EventKind } from '#schemas/events.ts';
import type { TestSandbox } from '../sandbox.ts';

const kinds = Object.keys(eventKinds).filter(isEventKind);
const allows = (kind: EventKind, ...scopes: readonly string[]): boolean =>
  contractOf(kind).allowedScopes.join() === scopes.join();

export async function registerForAll(
  { handles, service, tokens, call }: TestSandbox,
  { callback, key }: { readonly callback: string; readonly key: string },
): Promise<void> {
  const { organization } = handles;

  async function subscribe(token: string, more: object): Promise<void> {
    const body = { organization, signing_key: key, ...more };
    const answer = await call('POST', '/webhook_subscriptions', { token, body });
    if (answer.status !== 201) throw new Error(`A subscription was refused: ${JSON.stringify(answer.body)}`);
  }

  for (const [name, scopes] of [
    ['organization', ['organization', 'user', 'group']],
    ['forms', ['organization']],
  ] as const) {
    const events = kinds.filter((kind) => allows(kind, ...scopes));
    await subscribe(handles.tokens.owner, { scope: 'organization', url: `${callback}?s=${name}`, events });
  }
  const scopes = Object.keys(apiScopes) as ApiScope[];
  for (const [place, { user }] of service.state.memberships.of('organization', organization).entries()) {
    const events = kinds.filter((kind) => allows(kind, 'user'));
    const token = tokens.personal(`recaps${place}`, { user, scopes });
    const own = { scope: 'user', user, url: `${callback}?s=recaps${place}`, events };
    await subscribe(token, own);
  }
}
