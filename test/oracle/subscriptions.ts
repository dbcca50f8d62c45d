// A service that only knows subscriptions, in memory: what a plan does to it can be looked at, whatever was there before.
import * as fc from 'fast-check';
import { eventKinds, isEventKind } from '#schemas/events.ts';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { callbackUrl, fingerprintOf, type Owner } from '#src/subscriptions/callback.ts';
import type { PlanInput, Step } from '#src/subscriptions/plan.ts';

export const callback = 'https://hooks.example.com/mirror/webhooks';
const at = (path: string): string => `https://service.example.com/${path}`;
export const organization = at('organizations/1');
export const group = at('groups/1');
export const users = [at('users/1'), at('users/2'), at('users/3')] as const;
export const kinds = Object.keys(eventKinds).filter(isEventKind);

const owners: readonly Owner[] = [
  { scope: 'organization', organization, uri: organization },
  { scope: 'group', organization, uri: group },
  { scope: 'group', organization, uri: at('groups/2') },
  ...users.map((uri) => ({ scope: 'user', organization, uri }) as const),
];

export function subscriptionOf(
  owner: Owner,
  more: Partial<WebhookSubscription> & { uri: string },
): WebhookSubscription {
  const { scope, organization } = owner;
  const whose = { user: scope === 'user' ? owner.uri : null, group: scope === 'group' ? owner.uri : null };
  return { callback_url: callback, state: 'active', events: [], scope, organization, ...whose, ...more };
}

const keyId = fc.constantFrom('key 1', 'key 2', 'key 3');
const someEvents = fc.oneof(
  { weight: 3, arbitrary: fc.subarray(kinds, { minLength: 1 }) },
  { weight: 1, arbitrary: fc.constant(kinds) },
);

/** Ours of any key, events and generation, ours without a trace of it, and what belongs to others. */
const anySubscription = fc
  .record({
    owner: fc.constantFrom(...owners),
    events: someEvents,
    keyId,
    generation: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom('active', 'active', 'disabled'),
    place: fc.constantFrom('ours', 'ours', 'ours', 'bare', 'odd', 'path', 'port', 'host', 'none'),
  })
  .map(({ owner, events, keyId, generation, state, place }) => {
    const own = callbackUrl(callback, fingerprintOf({ owner, events, keyId }), generation);
    const urls = {
      ours: own,
      bare: callback,
      odd: `${callback}?s=whatever`,
      path: own.replace('/webhooks', '/webhooks/else'),
      port: own.replace('.com/', '.com:8443/'),
      host: own.replace('hooks.', 'staging.'),
      none: 'not an address',
    };
    return { owner, events, state, callback_url: urls[place] };
  });

/** The service takes each URL once. */
const existing = fc
  .uniqueArray(anySubscription, { selector: ({ callback_url: url }) => url, maxLength: 12 })
  .map((all) =>
    all.map(({ owner, ...more }, place) =>
      subscriptionOf(owner, { ...more, uri: at(`webhook_subscriptions/${place}`) }),
    ),
  );

export const anyInput: fc.Arbitrary<PlanInput> = fc.record({
  events: someEvents,
  organization: fc.constant(organization),
  group: fc.option(fc.constant(group), { nil: undefined }),
  recapUsers: fc.subarray([...users]),
  callback: fc.constant(callback),
  keyIds: fc.uniqueArray(keyId, { minLength: 1 }) as fc.Arbitrary<[string, ...string[]]>,
  existing,
  refused: fc.constant([]),
  prune: fc.boolean(),
});

/** Carries the steps out: everything is made first, then the old goes. `after` stops in the middle, as a crash would. */
export function carryOut(
  subscriptions: readonly WebhookSubscription[],
  steps: readonly Step[],
  after = Infinity,
): readonly WebhookSubscription[] {
  const acts = [...steps.flatMap(makings), ...steps.flatMap(endings)].slice(0, after);
  return acts.reduce((all, act) => act(all), subscriptions);
}

type Act = (all: readonly WebhookSubscription[]) => readonly WebhookSubscription[];
let made = 0;

function makings(step: Step): readonly Act[] {
  if (step.kind !== 'create') return [];
  const { owner, events } = step.desired;
  return [
    (all) => {
      if (all.some(({ callback_url: url }) => url === step.url)) throw new Error('409: the URL is taken');
      return [
        ...all,
        subscriptionOf(owner, {
          uri: at(`webhook_subscriptions/new${(made += 1)}`),
          callback_url: step.url,
          events: [...events],
        }),
      ];
    },
  ];
}

function endings(step: Step): readonly Act[] {
  if (step.kind !== 'delete') return [];
  return [(all) => all.filter(({ uri }) => uri !== step.existing.uri)];
}

/** Every event that reaches us for each owner: `organization https://…: contact.created`. */
export function deliveredTo(subscriptions: readonly WebhookSubscription[]): ReadonlySet<string> {
  const active = subscriptions.filter(({ state }) => state === 'active');
  return new Set(
    active.flatMap(({ scope, organization, user, group, events }) => {
      const uri = scope === 'user' ? user : scope === 'group' ? group : organization;
      return (events ?? []).map((event) => `${scope} ${uri}: ${event}`);
    }),
  );
}
