// A store beside a sandbox, with answers on: meetings that ended, one that is to come, and one that was canceled.
import { answerRecorder } from '#src/app/answers.ts';
import { loadConfig } from '#src/config/load.ts';
import { cancelInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import type { TestStore } from '../stores.ts';
import { openTestReconcile } from './test-reconcile.ts';

export async function openAnswerWorld(
  fresh: () => Promise<TestStore>,
  { token }: { readonly token?: 'no_scopes' } = {},
) {
  await using stack = new AsyncDisposableStack();
  const mirrored = stack.use(await openTestReconcile(fresh, { contacts: 1, bookings: 30 }));
  const { sandbox, store } = mirrored;
  const { service, handles } = sandbox;
  const timesOf = (event: string) => service.state.scheduledEvents.get(event);
  const active = service.state.invitees
    .values()
    .filter(({ status, no_show }) => status === 'active' && no_show === null)
    .toArray();
  /** Newest first. */
  const ended = active
    .filter(({ event }) => Date.parse(timesOf(event)?.end_time ?? '') < Date.now())
    .toSorted((a, b) => ((timesOf(a.event)?.start_time ?? '') < (timesOf(b.event)?.start_time ?? '') ? 1 : -1))
    .map(({ uri }) => uri);
  const upcoming = active.find(({ event }) => Date.parse(timesOf(event)?.start_time ?? '') > Date.now())?.uri ?? '';
  const canceled = active.find(({ uri }) => uri === ended.at(-1));
  if (canceled) cancelInvitee(service, canceled, { cancelerType: 'host', reason: null });
  await mirrored.run({ repair: true });
  const config = loadConfig({
    ANSWERS: 'on',
    API_BASE_URL: handles.base_url,
    API_TOKEN: handles.tokens[token ?? 'owner'],
    ...(token && { ORGANIZATION_URI: handles.organization, USER_URI: handles.users.owner }),
  });
  const answers = answerRecorder({ config, store, nowMs: Date.now });
  const [held = ''] = ended;
  const kept = stack.move();
  return {
    ...mirrored,
    service,
    /** For what reads the mirror and may answer. */
    open: async () => ({ store, [Symbol.asyncDispose]: async () => {} }),
    options: answers === undefined ? {} : { answers },
    markOf: (uri: string) => service.state.invitees.get(uri)?.no_show?.uri ?? null,
    ended: ended.slice(0, -1),
    uris: { held, upcoming, canceled: canceled?.uri ?? '', unknown: held.replace(/[^/]+$/, 'nothing') },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
