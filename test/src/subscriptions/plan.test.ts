// The steps of a plan, by example: one for each line of the table that opens the file.
import { describe, expect, it } from 'vitest';
import { callbackUrl, fingerprintOf } from '#src/subscriptions/callback.ts';
import { desiredSubscriptions } from '#src/subscriptions/desired.ts';
import { findMatching, isPending, planSubscriptions, refusalId, type PlanInput } from '#src/subscriptions/plan.ts';
import { callback, group, organization, subscriptionOf, users } from '../../oracle/subscriptions.ts';

describe('the steps', () => {
  const owner = { scope: 'organization', organization, uri: organization } as const;
  const events = ['contact.created', 'contact.updated'] as const;
  const desired = { owner, events, optional: false };
  const urlOf = (of: readonly string[], keyId = 'key 1', generation = 1) =>
    callbackUrl(callback, fingerprintOf({ owner, events: of, keyId }), generation);
  const ours = (uri: string, url = urlOf(events), more = {}) =>
    subscriptionOf(owner, { uri, callback_url: url, events: [...events], ...more });
  const plan = (changes: Partial<PlanInput> = {}) =>
    planSubscriptions({
      events,
      organization,
      recapUsers: [],
      callback,
      keyIds: ['key 1'],
      existing: [],
      refused: [],
      prune: false,
      ...changes,
    });
  const [equal, oldKey, disabled] = [
    ours('1'),
    ours('2', urlOf(events, 'key 2')),
    ours('3', urlOf(events), { state: 'disabled' }),
  ];
  const others = ours('4', urlOf(['contact.created', 'contact.deleted']), {
    events: ['contact.created', 'contact.deleted'],
  });
  const foreign = ours('5', urlOf(['contact.deleted']), { events: ['contact.deleted'] });
  const replaced = (existing: typeof equal, why: object, url = urlOf(events)) => [
    { kind: 'replace', desired, url, replaces: [{ existing, why }] },
  ];

  it('keep what is equal, create what is missing and replace what differs, with the difference', () => {
    expect(plan()).toEqual([{ kind: 'create', desired, url: urlOf(events) }]);
    expect(plan({ existing: [equal] })).toEqual([{ kind: 'keep', desired, existing: equal }]);
    expect(plan({ existing: [oldKey] })).toEqual(replaced(oldKey, { kind: 'key' }));
    expect(plan({ existing: [disabled] })).toEqual(replaced(disabled, { kind: 'disabled' }, urlOf(events, 'key 1', 2)));
    expect(plan({ existing: [others] })).toEqual(
      replaced(others, { kind: 'events', added: ['contact.updated'], removed: ['contact.deleted'] }),
    );
    const renamed = ours('6', urlOf(events), { events: ['contact.created'] });
    expect(plan({ existing: [renamed] })).toMatchObject([
      { kind: 'replace', replaces: [{ why: { kind: 'events', added: ['contact.updated'], removed: [] } }] },
    ]);
    const more = ours('7', urlOf(events), { events: [...events, 'contact.deleted'] });
    expect(plan({ existing: [more] })).toMatchObject([{ kind: 'replace', replaces: [{ existing: more }] }]);
    const other = ours('8', urlOf(events), { events: ['contact.created', 'contact.deleted'] });
    expect(plan({ existing: [other] })).toMatchObject([{ kind: 'replace', replaces: [{ existing: other }] }]);
    const unknown = ours('9', urlOf(events), { events: null });
    expect(plan({ existing: [unknown] })).toMatchObject([{ kind: 'create' }, { kind: 'leftover', existing: unknown }]);
    expect(plan({ existing: [oldKey, others] })).toMatchObject([
      { replaces: [{ existing: oldKey }, { existing: others }] },
    ]);
  });

  it('keep the same one of several in every process: the earliest generation, then by URI', () => {
    const [second, tenth] = [ours('8', urlOf(events, 'key 1', 2)), ours('0', urlOf(events, 'key 1', 10))];
    for (const existing of [
      [tenth, second],
      [second, tenth],
    ])
      expect(plan({ existing })).toEqual([
        { kind: 'keep', desired, existing: second },
        { kind: 'delete', existing: tenth, why: 'superseded' },
      ]);
    const elsewhere = ours('1', urlOf(events).replace('hooks.', 'staging.'));
    expect(findMatching({ callback, keyIds: ['key 1'] }, desired, [elsewhere, second])).toBe(second);
    expect(findMatching({ callback, keyIds: ['key 1'] }, desired, [elsewhere])).toBeUndefined();
    expect(plan({ existing: [ours('9'), ours('8')] })).toMatchObject([{ existing: { uri: '8' } }, {}]);
  });

  it('delete what is superseded, leftovers where that is requested, and everything of ours in the end', () => {
    expect(plan({ existing: [equal, oldKey] })).toEqual([
      { kind: 'keep', desired, existing: equal },
      { kind: 'delete', existing: oldKey, why: 'superseded' },
    ]);
    const leftover = { existing: [equal, foreign] };
    expect(plan(leftover)[1]).toEqual({ kind: 'leftover', existing: foreign });
    expect(plan({ ...leftover, prune: true })[1]).toEqual({ kind: 'delete', existing: foreign, why: 'leftover' });
    expect(plan({ ...leftover, remove: true })).toEqual([
      { kind: 'delete', existing: equal, why: 'removed' },
      { kind: 'delete', existing: foreign, why: 'removed' },
    ]);
  });

  it('do not try again what is optional and was refused', () => {
    const optional = { owner, events: ['event_type.created'] as const, optional: true };
    const wanted = { events: [...events, ...optional.events] };
    const refused = [refusalId(optional), refusalId(desired)];
    expect(plan({ ...wanted, refused }).map(({ kind }) => kind)).toEqual(['create', 'refused']);
    expect(plan({ ...wanted, refused: refused.slice(1) }).map(({ kind }) => kind)).toEqual(['create', 'create']);
    expect(refusalId(optional)).toBe(fingerprintOf({ ...optional, keyId: '' }));
  });

  it('that change something are pending', () => {
    const steps = [equal, oldKey, foreign].map((existing) => plan({ existing: [existing] }));
    expect(steps.map((list) => list.map(isPending))).toEqual([[false], [true], [true, false]]);
    expect(plan({ remove: true, existing: [equal] }).map(isPending)).toEqual([true]);
  });

  it('cover an event in the widest scope that it allows', () => {
    const scopes = (given: Partial<PlanInput>) =>
      desiredSubscriptions({ organization, recapUsers: [users[0], users[0]], events, ...given }).map(
        ({ owner: { scope, uri }, events: of }) => [scope, uri, ...of].join(' '),
      );
    const all = ['meeting_recap.created', 'contact.created', 'invitee.created'] as const;
    expect(scopes({ events: all })).toEqual([
      `organization ${organization} contact.created invitee.created`,
      `user ${users[0]} meeting_recap.created`,
    ]);
    expect(scopes({ events: all, group })).toEqual([
      `group ${group} contact.created invitee.created`,
      `user ${users[0]} meeting_recap.created`,
    ]);
  });
});
