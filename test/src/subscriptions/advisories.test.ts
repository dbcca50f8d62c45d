// What an operator is told besides the steps, and the words for what was refused.
import { describe, expect, it } from 'vitest';
import type { WebhookSubscription } from '#schemas/subscription.ts';
import { callbackUrl, fingerprintOf, type Owner } from '#src/subscriptions/callback.ts';
import { notesOn, type NoteInput } from '#src/subscriptions/advisories.ts';
import type { RefusalCause } from '#src/subscriptions/register.ts';
import { eventsInWords, refusalInWords } from '#src/subscriptions/describe.ts';
import { callback, kinds, organization, subscriptionOf, users } from '../../oracle/subscriptions.ts';
import { only } from '../../harness/registrar.ts';

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

function notes(more: Partial<NoteInput> & { keyIds?: readonly [string, ...string[]] } = {}): readonly string[] {
  const { keyIds = ['key 1'], ...rest } = more;
  const existing = rest.existing ?? [];
  return notesOn({
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
    unseen: [],
    usesOAuth: true,
    keyPlace: 'SIGNING_KEYS',
    nowMs,
    existing,
    leftovers: 0,
    ...rest,
  });
}

describe('the notes', () => {
  it('are none when all is well', () => {
    expect(notes({ existing: [made('key 1')] })).toEqual([]);
  });

  it('say for how many members recaps are missing, and what those members do', () => {
    expect(notes({ members: 12 })).toEqual([
      expect.stringMatching(/^Recaps of 11 of 12 members.*npx slotstream login$/),
    ]);
    expect(notes({ members: undefined })).toEqual([expect.stringContaining('may not count')]);
    expect(notes({ members: 12, usesOAuth: false })).toEqual([expect.stringContaining('OAUTH_CLIENT_ID')]);
  });

  it('say when an old key may go: a day after the last subscription was made with the new one', () => {
    const keyIds = ['key 2', 'key 1'] as const;
    const fresh = made('key 2', { created_at: '2025-03-02T10:00:00.000000Z' });
    expect(notes({ keyIds, existing: [fresh] })).toEqual([
      expect.stringContaining('may go after 2025-03-03T10:00:00Z'),
    ]);
    const aged = { ...fresh, created_at: '2025-03-01T10:00:00.000000Z' };
    expect(notes({ keyIds, existing: [aged] })).toEqual([expect.stringContaining('may go now')]);
    expect(notes({ keyIds, existing: [aged, made('key 1')] })).toEqual([
      expect.stringContaining('must stay in SIGNING_KEYS'),
    ]);
  });

  it('tell of subscriptions with our key that call another address, and of nobody else’s', () => {
    const base = 'https://before.example.com/webhooks';
    expect(notes({ existing: [made('key 1'), made('key 1', { base })] })).toEqual([
      expect.stringContaining(`another address (${base})`),
    ]);
    expect(notes({ existing: [made('key of others', { base })] })).toEqual([]);
  });
});

describe('events in words', () => {
  it('name a family that is there as a whole with a star', () => {
    expect(eventsInWords(kinds)).toBe(
      'contact.*, event_type.*, invitee.*, invitee_no_show.*, meeting_recap.*, routing_form_submission.created',
    );
    expect(eventsInWords(['contact.created', 'contact.updated', 'other.thing'])).toBe(
      'contact.created, contact.updated, other.thing',
    );
  });
});

describe('a refusal', () => {
  const told = (cause: RefusalCause, optional = false): string =>
    refusalInWords({ wanted: { owner, events: contacts, optional }, events: contacts, cause }).join(' ');

  it('for want of a scope says which, what is missing, and what to do', () => {
    expect(told({ kind: 'scopes', scopes: ['contacts:read'] })).toBe(
      'contact.* could not be registered: the token lacks the scope contacts:read. Missing in the mirror: new, changed and deleted contacts. Make a token with contacts:read (with OAuth: npx slotstream login), then run bootstrap again.',
    );
  });

  it('for want of the right to subscribe names the scopes the events will ask for next', () => {
    expect(told({ kind: 'scopes', scopes: ['webhooks:write'] })).toContain(
      'Make a token with webhooks:write, contacts:read',
    );
  });

  it('tells a plan from a role', () => {
    const plan = told({ kind: 'permission', message: 'Please upgrade your account to the standard level.' });
    expect(plan).toContain('Upgrade the account');
    expect(told({ kind: 'permission', message: 'You do not have permission' })).toContain('an owner or administrator');
  });

  it('of something optional asks for nothing', () => {
    expect(told({ kind: 'request', message: 'events: unknown' }, true)).toContain('Nothing to do: it is optional.');
  });
});
