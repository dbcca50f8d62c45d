// Advice for the operator, and the texts of refusals.
import { describe, expect, it } from 'vitest';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { callbackUrl, fingerprintOf, type Owner } from '#src/subscriptions/callback.ts';
import { adviseOperator, type AdvisoryInput } from '#src/subscriptions/advisories.ts';
import type { RefusalCause } from '#src/subscriptions/register.ts';
import { describeEvents, describeRefusals, describeResult } from '#src/subscriptions/describe.ts';
import { callback, kinds, organization, subscriptionOf, users } from '../../oracle/subscriptions.ts';
import { only } from '../../harness/sandbox/bootstrapper.ts';

const owner: Owner = { scope: 'organization', organization, uri: organization };
const nowMs = Date.parse('2025-03-02T12:00:00Z');
const contacts = only('contact');

function made(keyId: string, more: Partial<WebhookSubscription> & { base?: string } = {}): WebhookSubscription {
  const { base = callback, ...rest } = more;
  const url = callbackUrl(base, fingerprintOf({ owner, events: contacts, keyId }), 1);
  return subscriptionOf(owner, {
    uri: `https://service.example.com/${keyId}`,
    callback_url: url,
    events: [...contacts],
    ...rest,
  });
}

function notes(more: Partial<AdvisoryInput> & { keyIds?: readonly [string, ...string[]] } = {}): readonly string[] {
  const { keyIds = ['key 1'], ...rest } = more;
  const existing = rest.existing ?? [];
  return adviseOperator({
    input: {
      events: kinds,
      organization,
      recapUsers: [users[0]],
      callback,
      keyIds,
      existing,
      refused: [],
      prune: false,
    },
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

describe('the advice', () => {
  it('is empty when there is no problem', () => {
    expect(notes({ existing: [made('key 1')] })).toEqual([]);
  });

  it('says for how many members recaps are missing, and what those members can do', () => {
    expect(notes({ members: 12 })).toEqual([
      expect.stringMatching(/^Note: recaps arrive for 1 of 12 members\. .*\.\/bin\/slotstream login$/),
    ]);
    expect(notes({ members: undefined })).toEqual([expect.stringContaining('may not count the others')]);
    expect(notes({ members: 12, usesOAuth: false })).toEqual([expect.stringContaining('docs/configuration.md#oauth')]);
  });

  it('says when an old key can be removed: a day after the last subscription was created with the new one', () => {
    const keyIds = ['key 2', 'key 1'] as const;
    const fresh = made('key 2', { created_at: '2025-03-02T10:00:00.000000Z' });
    expect(notes({ keyIds, existing: [fresh] })).toEqual([
      expect.stringContaining('can be removed after 2025-03-03T10:00:00Z'),
    ]);
    const aged = { ...fresh, created_at: '2025-03-01T10:00:00.000000Z' };
    expect(notes({ keyIds, existing: [aged] })).toEqual([expect.stringContaining('can be removed now')]);
    expect(notes({ keyIds, existing: [aged, made('key 1')] })).toEqual([
      expect.stringContaining('must stay in SIGNING_KEYS'),
    ]);
  });

  it('counts that day from the end of the old subscriptions where it is known: what is created later does not matter', () => {
    const keyIds = ['key 2', 'key 1'] as const;
    const existing = [made('key 2', { created_at: '2025-03-02T11:00:00.000000Z' })];
    const oldKeyEndedMs = Date.parse('2025-03-01T20:00:00Z');
    expect(notes({ keyIds, existing, oldKeyEndedMs })).toEqual([
      expect.stringContaining('can be removed after 2025-03-02T20:00:00Z'),
    ]);
  });

  it('names subscriptions with our key that call another address, and no others', () => {
    const base = 'https://before.example.com/webhooks';
    expect(notes({ existing: [made('key 1'), made('key 1', { base })] })).toEqual([
      expect.stringContaining(`another address (${base})`),
    ]);
    expect(notes({ existing: [made('key of others', { base })] })).toEqual([]);
  });
});

describe('the text for events', () => {
  it('abbreviates a complete family with a star', () => {
    expect(describeEvents(kinds)).toBe(
      'contact.*, event_type.*, invitee.*, invitee_no_show.*, meeting_recap.*, routing_form_submission.created',
    );
    expect(describeEvents(['contact.created', 'contact.updated', 'other.thing'])).toBe(
      'contact.created, contact.updated, other.thing',
    );
  });
});

describe('a refusal', () => {
  const ofContacts = (cause: RefusalCause) => ({
    desired: { owner, family: 'contact', events: contacts, optional: false } as const,
    cause,
  });
  const ofSubmissions = (cause: RefusalCause) => ({
    desired: { owner, family: 'routing-form', events: only('routing_form'), optional: false } as const,
    cause,
  });
  const textsOf = (...refusals: Parameters<typeof describeRefusals>[0]) =>
    describeRefusals(refusals).map((text) => text.replaceAll('\n', ' '));
  const textOf = (cause: RefusalCause): string => textsOf(ofContacts(cause)).join(' ');

  it('for a missing scope names it, what is missing, and what to do', () => {
    expect(textOf({ kind: 'scopes', scopes: ['contacts:read'] })).toBe(
      'Not registered: contacts. The token lacks the scope contacts:read. Missing in the mirror: contacts. → Create a token with contacts:read (with OAuth: ./bin/slotstream login), then run bootstrap again.',
    );
  });

  it('for a missing permission to subscribe also names the scopes that the events need', () => {
    expect(textOf({ kind: 'scopes', scopes: ['webhooks:write'] })).toContain(
      'Create a token with webhooks:write, contacts:read',
    );
  });

  it('distinguishes a plan from a role', () => {
    const plan = textOf({ kind: 'plan', message: 'Please upgrade your account to the standard level.' });
    expect(plan).toContain('Upgrade the account');
    expect(textOf({ kind: 'permission', message: 'You do not have permission' })).toContain(
      'an owner or administrator',
    );
  });

  it('with 400 names the scope of the family as the first thing to check', () => {
    const text = textOf({ kind: 'request', status: 400, message: 'The supplied parameters are invalid.' });
    expect(text).toContain('The service answered 400: The supplied parameters are invalid.');
    expect(text).toContain('First check that the token has contacts:read');
    expect(textOf({ kind: 'unknown', status: 404, message: '' })).toMatch(
      /The service answered 404\. .*ORGANIZATION_URI/,
    );
  });

  it('of several families for the same cause is one text, with every scope that is missing', () => {
    const denied = { kind: 'permission', message: 'You do not have permission' } as const;
    expect(textsOf(ofContacts(denied), ofSubmissions(denied))).toEqual([
      expect.stringMatching(/^Not registered: contacts, routing form submissions\. /),
    ]);
    expect(
      textsOf(
        ofContacts({ kind: 'scopes', scopes: ['contacts:read'] }),
        ofSubmissions({ kind: 'scopes', scopes: ['routing_forms:read'] }),
      ),
    ).toEqual([expect.stringContaining('The token lacks the scopes contacts:read, routing_forms:read.')]);
    expect(textsOf(ofContacts(denied), ofSubmissions({ kind: 'hidden' }))).toHaveLength(2);
  });

  it('of an optional event needs no action', () => {
    const desired = { owner, family: 'event-type', events: only('event_type'), optional: true } as const;
    const cause = { kind: 'request', status: 400, message: '' } as const;
    expect(describeResult({ kind: 'refused', refusal: { desired, cause } })).toMatchObject({
      mark: '=',
      action: 'not offered',
      why: 'the service does not offer it, or the token lacks event_types:read; backfill and reconcile provide event types',
    });
  });
});
