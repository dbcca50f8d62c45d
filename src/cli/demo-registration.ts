// How the demo registers with the sandbox: one subscription for the organization, and one for each user's recaps, since those
// belong to users only.
import { apiScopes, type ApiScope } from '#schemas/api-scope.ts';
import { contractOf, eventKinds, isEventKind, type EventKind } from '#schemas/events.ts';
import { SlotstreamError } from '#src/errors.ts';
import type { Sandbox } from '#src/sandbox/sandbox.ts';

const kinds = Object.keys(eventKinds).filter(isEventKind);
const isForOrganizations = (kind: EventKind): boolean => contractOf(kind).allowedScopes.includes('organization');

/** Says what it did, line by line. */
export async function* registerDemo(
  sandbox: Sandbox,
  { callback, key }: { readonly callback: string; readonly key: string },
): AsyncGenerator<string> {
  const { handles, service, tokens } = sandbox;
  const { organization, base_url } = handles;

  async function subscribe(token: string, scope: object, events: readonly EventKind[]): Promise<void> {
    const answer = await fetch(`${base_url}/webhook_subscriptions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ events, organization, signing_key: key, ...scope }),
    });
    if (answer.status !== 201)
      throw new SlotstreamError('refused', `The sandbox refused a subscription (${answer.status}).`, {
        hint: await answer.text(),
      });
  }

  const shared = kinds.filter(isForOrganizations);
  await subscribe(handles.tokens.owner, { scope: 'organization', url: `${callback}?s=organization` }, shared);
  yield `organization: ${[...new Set(shared.map((kind) => kind.slice(0, kind.indexOf('.'))))].join(', ')}`;

  const scopes = Object.keys(apiScopes) as ApiScope[];
  const users = service.state.memberships.of('organization', organization).map(({ user }) => user);
  for (const [place, user] of users.entries()) {
    const token = tokens.personal(`demo${place}`, { user, scopes });
    const own = kinds.filter((kind) => !isForOrganizations(kind));
    await subscribe(token, { scope: 'user', user, url: `${callback}?s=recaps${place}` }, own);
  }
  yield `each of ${users.length} users: meeting_recap`;
}
