// Advice for the operator, and the texts of refusals.
import { describe, it } from 'vitest';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { callbackUrl, fingerprintOf, type Owner } from '#src/subscriptions/callback.ts';
import { adviseOperator, type AdvisoryInput } from '#src/subscriptions/advisories.ts';
import type { RefusalCause } from '#src/subscriptions/register.ts';
import { describeEvents, describeRefusals, describeResult } from '#src/subscriptions/describe.ts';
import { callback, kinds, organization, subscriptionOf, users } from '../../oracle/subscriptions.ts';
import { expectGolden } from '../../harness/golden.ts';
import { only } from '../../harness/sandbox/bootstrapper.ts';

const owner: Owner = { scope: 'organization', organization, uri: organization };
const nowMs = Date.parse('2025-03-02T12:00:00Z');
const contacts = only('contact');

function made(keyId: string, more: Partial<WebhookSubscription> & { base?: string } = {}): WebhookSubscription {
  const { base = callback, ...rest } = more;
  const callback_url = callbackUrl(base, fingerprintOf({ owner, events: contacts, keyId }), 1);
  const uri = `https://service.example.com/${keyId}`;
  return subscriptionOf(owner, { uri, callback_url, events: [...contacts], ...rest });
}

function notes(more: Partial<AdvisoryInput> & { keyIds?: readonly [string, ...string[]] } = {}): readonly string[] {
  const { keyIds = ['key 1'], ...rest } = more;
  const existing = rest.existing ?? [];
  const planned = { events: kinds, organization, recapUsers: [users[0]] };
  return adviseOperator({
    input: { ...planned, callback, keyIds, existing, refused: [], prune: false },
    members: 1,
    unlisted: [],
    usesOAuth: true,
    keySource: 'SIGNING_KEYS',
    nowMs,
    oldKeyEndedMs: undefined,
    existing,
    leftovers: 0,
    ...rest,
  });
}

const textOf = (cases: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(cases)
    .map(([title, texts]) =>
      [`${title}:`, ...texts.flatMap((text) => text.split('\n')).map((line) => `    ${line}`)].join('\n'),
    )
    .join('\n');

const rotated = ['key 2', 'key 1'] as const;
const fresh = made('key 2', { created_at: '2025-03-02T10:00:00.000000Z' });
const aged = { ...fresh, created_at: '2025-03-01T10:00:00.000000Z' };
const base = 'https://before.example.com/webhooks';

const advice: Readonly<Record<string, readonly string[]>> = {
  'nothing to say': notes({ existing: [made('key 1')] }),
  'recaps of one member of twelve': notes({ members: 12 }),
  'recaps of one member of unknown many': notes({ members: undefined }),
  'recaps of one member of twelve, without OAuth': notes({ members: 12, usesOAuth: false }),
  'an old key, two hours after the rotation': notes({ keyIds: rotated, existing: [fresh] }),
  'an old key, a day after the rotation': notes({ keyIds: rotated, existing: [aged] }),
  'an old key that a subscription still has': notes({ keyIds: rotated, existing: [aged, made('key 1')] }),
  // What is created later does not matter.
  'an old key whose last subscription ended 16 hours ago': notes({
    keyIds: rotated,
    existing: [made('key 2', { created_at: '2025-03-02T11:00:00.000000Z' })],
    oldKeyEndedMs: Date.parse('2025-03-01T20:00:00Z'),
  }),
  'one with our key that calls another address': notes({ existing: [made('key 1'), made('key 1', { base })] }),
  'one of others that calls another address': notes({ existing: [made('key of others', { base })] }),
};

describe('the advice', () => {
  it('reads as golden/advice.txt', async () => {
    await expectGolden(textOf(advice), 'golden/advice.txt');
  });
});

const refusalOf = (family: 'contact' | 'routing-form' | 'event-type', cause: RefusalCause) => ({
  desired: { owner, family, events: only(family.replace('-', '_')), optional: family === 'event-type' },
  cause,
});
const ofContacts = (cause: RefusalCause) => refusalOf('contact', cause);
const ofSubmissions = (cause: RefusalCause) => refusalOf('routing-form', cause);
const denied = { kind: 'permission', message: 'You do not have permission' } as const;
const lacking = (scope: string) => ({ kind: 'scopes', scopes: [scope] }) as RefusalCause;
const plan = { kind: 'plan', message: 'Please upgrade your account to the standard level.' } as const;
const invalid = { kind: 'request', status: 400, message: 'The supplied parameters are invalid.' } as const;

const optional = describeResult({ kind: 'refused', refusal: refusalOf('event-type', invalid) });

const refusals: Readonly<Record<string, readonly string[]>> = {
  'a missing scope': describeRefusals([ofContacts(lacking('contacts:read'))]),
  'no permission to subscribe': describeRefusals([ofContacts(lacking('webhooks:write'))]),
  'a plan': describeRefusals([ofContacts(plan)]),
  'a role': describeRefusals([ofContacts(denied)]),
  'an invalid request': describeRefusals([ofContacts(invalid)]),
  'not found': describeRefusals([ofContacts({ kind: 'unknown', status: 404, message: '' })]),
  'two families for the same cause': describeRefusals([ofContacts(denied), ofSubmissions(denied)]),
  'two families and two scopes': describeRefusals([
    ofContacts(lacking('contacts:read')),
    ofSubmissions(lacking('routing_forms:read')),
  ]),
  'two families for two causes': describeRefusals([ofContacts(denied), ofSubmissions({ kind: 'hidden' })]),
  'an optional event, which needs no action': [`${optional.action}: ${optional.why}`],
  'whole families of events, and others': [kinds, ['contact.created', 'contact.updated', 'other.thing']].map((events) =>
    describeEvents(events),
  ),
};

describe('a refusal', () => {
  it('reads as golden/refusals.txt', async () => {
    await expectGolden(textOf(refusals), 'golden/refusals.txt');
  });
});
