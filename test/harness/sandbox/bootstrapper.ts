// Bootstrap against the sandbox without a process around it: its memory can be looked at, its clock and its wire can be bent.
import { type ApiScope, apiScopes } from '#schemas/api-scope.ts';
import { contractOf, type EventKind } from '#schemas/events.ts';
import { createSubscription } from '#src/sandbox/world/subscriptions.ts';
import type { StoredSubscription } from '#src/sandbox/world/service.ts';
import { applyAndRecord, inspectSubscriptions } from '#src/subscriptions/bootstrap.ts';
import type { BootstrapInput, BootstrapNeeds } from '#src/subscriptions/bootstrap.ts';
import { callbackUrl, fingerprintOf, type Owner } from '#src/subscriptions/callback.ts';
import type { LastObservation } from '#src/subscriptions/outage-gaps.ts';
import { watchSubscriptions } from '#src/subscriptions/watch.ts';
import type { Client } from '#src/upstream/client.ts';
import { kinds } from '../../oracle/subscriptions.ts';
import type { TestSandbox } from '../sandbox.ts';
import { clientOf as pausedClient } from './api-clients.ts';

export const callback = 'https://hooks.example.com/webhooks';
export const everyScope = Object.keys(apiScopes) as ApiScope[];

export type Bootstrapper = ReturnType<typeof openBootstrapper>;

export interface Bent {
  readonly token?: string;
  /** Tokens of users who logged in, by URI. */
  readonly logins?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

export const clientOf = (sandbox: TestSandbox, token: string, send: typeof fetch = sandbox.fetch): Client =>
  pausedClient(sandbox.handles.base_url, { as: token, fetch: send, reserveShare: 0 });

export function openBootstrapper(sandbox: TestSandbox, bent: Bent = {}) {
  const { token = sandbox.handles.tokens.owner, logins = {}, fetch: send } = bent;
  const lastSeen = new Map<string, LastObservation>();
  const needs: BootstrapNeeds = {
    callers: {
      main: clientOf(sandbox, token, send),
      logins: new Map(Object.entries(logins).map(([user, own]) => [user, clientOf(sandbox, own, send)])),
    },
    lastSeen: {
      read: async () => [...lastSeen.values()],
      async update({ seen, deleted }) {
        for (const uri of deleted) lastSeen.delete(uri);
        for (const one of seen) lastSeen.set(one.uri, one);
      },
    },
    async recordGap(since) {
      if (bootstrapper.isStoreFull) throw new Error('the store is full');
      bootstrapper.noted.push(since);
    },
    refusals: {
      read: async () => bootstrapper.refused,
      write: async (ids) => void (bootstrapper.refused = ids),
    },
    pause: async () => {},
    now: () => `${new Date(bootstrapper.nowMs).toISOString().slice(0, -1)}000Z`,
  };
  const inputOf = (more: Partial<BootstrapInput>): BootstrapInput => ({
    settings: { organizationUri: undefined, userUri: undefined, groupUri: undefined },
    events: kinds,
    callback,
    keyIds: ['key 1'],
    prune: false,
    countsMembers: true,
    ...more,
  });
  const bootstrapper = {
    lastSeen,
    refused: [] as readonly string[],
    /** Since when deliveries may be missing, as it was noted. */
    noted: [] as string[],
    /** Then no gap can be noted. */
    isStoreFull: false,
    /** What the clock says; moves only when the test moves it. */
    nowMs: Date.now(),
    plan: (more: Partial<BootstrapInput> = {}) => inspectSubscriptions(needs, inputOf(more)),
    async apply(more: Partial<BootstrapInput> = {}) {
      const situation = await inspectSubscriptions(needs, inputOf(more));
      return applyAndRecord(needs, situation, keyOf(situation.input.keyIds[0]));
    },
    watch: (more: Partial<BootstrapInput> = {}) =>
      watchSubscriptions(needs, { ...inputOf(more), signingKey: keyOf('key 1') }),
  };
  return bootstrapper;
}

/** The key that goes by this name in these tests. */
const keyOf = (id: string): string => `the secret that goes by ${id}`;

/** Every subscription the sandbox has, in short: `organization active contact.created,…`. */
export function subscriptionsIn({ service }: TestSandbox): readonly string[] {
  return [...service.state.subscriptions.values()]
    .map(({ scope, state, events }) => `${scope} ${state} ${shortly(events)}`)
    .toSorted();
}

/** What is registered when the service supports everything but `event_type.*`, in short. */
export const registered: readonly string[] = [
  'organization active contact',
  'organization active invitee,invitee_no_show',
  'organization active routing_form_submission',
  'user active meeting_recap',
];

export interface Planted {
  readonly owner: Owner;
  readonly events: readonly EventKind[];
  readonly keyId?: string;
  readonly generation?: number;
  readonly base?: string;
}

/** Puts a subscription into the sandbox that its API may refuse, such as one for several families. */
export function plant({ service, handles }: TestSandbox, planted: Planted): StoredSubscription {
  const { owner, events, keyId = 'key 1', generation = 1, base = callback } = planted;
  const { scope, organization, uri } = owner;
  return createSubscription(service, {
    url: callbackUrl(base, fingerprintOf({ owner, events, keyId }), generation),
    events: [...events],
    organization,
    scope,
    ...(scope !== 'organization' && { [scope]: uri }),
    signing_key: keyOf(keyId),
    creator: handles.users.owner,
  });
}

/** What an earlier version registered: one subscription for all families of the organization, and one for the recaps. */
export function plantEarlierOnes(sandbox: TestSandbox): readonly StoredSubscription[] {
  const { organization, users } = sandbox.handles;
  const shared = kinds.filter((kind) => contractOf(kind).inRequestEnum && !kind.startsWith('meeting_recap'));
  return [
    plant(sandbox, { owner: { scope: 'organization', organization, uri: organization }, events: shared }),
    plant(sandbox, { owner: { scope: 'user', organization, uri: users.owner }, events: only('meeting_recap') }),
  ];
}

/** Answers requests for subscriptions to these events instead of the service, unless the answer is undefined. */
export const answering =
  (prefix: string, answer: () => Response | undefined): typeof fetch =>
  async (url, init) => {
    const isMeant = init?.method === 'POST' && String(init.body).includes(`"${prefix}`);
    return (isMeant ? answer() : undefined) ?? fetch(url, init);
  };

/** The families of the events. */
export const shortly = (events: readonly string[]): string =>
  [...new Set(events.map((event) => event.slice(0, event.indexOf('.'))))].toSorted().join(',');

export const only = (...prefixes: readonly string[]): readonly EventKind[] =>
  kinds.filter((kind) => prefixes.some((prefix) => kind.startsWith(prefix)));
