// The steps of a plan, by example: one for each line of the table that opens the file.
import { describe, expect, it } from 'vitest';
import { callbackUrl, fingerprintOf } from '#src/subscriptions/callback.ts';
import { desiredSubscriptions } from '#src/subscriptions/desired.ts';
import { findMatching, isPending, planSubscriptions, refusalId, type PlanInput } from '#src/subscriptions/plan.ts';
import { callback, group, organization, subscriptionOf, users } from '../../oracle/subscriptions.ts';

describe('the steps', () => {
  const owner = { scope: 'organization', organization, uri: organization } as const;
  const events = ['contact.created', 'contact.updated'] as const;
  const desired = { owner, family: 'contact', events, optional: false } as const;
  const urlOf = (of: readonly string[], keyId = 'key 1', generation = 1) =>
    callbackUrl(callback, fingerprintOf({ owner, events: of, keyId }), generation);
  const ours = (uri: string, url = urlOf(events), more = {}) =>
    subscriptionOf(owner, { uri, callback_url: url, events: [...events], ...more });
  const none = { recapUsers: [], existing: [], refused: [] };
  const plan = (changes: Partial<PlanInput> = {}) =>
    planSubscriptions({ ...none, events, organization, callback, keyIds: ['key 1'], prune: false, ...changes });
  const [equal, oldKey] = [ours('1'), ours('2', urlOf(events, 'key 2'))];
  const disabled = ours('3', urlOf(events), { state: 'disabled' });
  const otherEvents = ['contact.created', 'contact.deleted'];
  const others = ours('4', urlOf(otherEvents), { events: otherEvents });
  const created = (url = urlOf(events)) => ({ kind: 'create', desired, url });
  const deleted = (existing: typeof equal, why: string) => ({ kind: 'delete', existing, why });

  it('keep what is equal, create what is missing, and delete what differs afterwards, with the reason', () => {
    expect(plan()).toEqual([created()]);
    expect(plan({ existing: [equal] })).toEqual([{ kind: 'keep', desired, existing: equal }]);
    expect(plan({ existing: [oldKey] })).toEqual([created(), deleted(oldKey, 'key')]);
    expect(plan({ existing: [disabled] })).toEqual([created(urlOf(events, 'key 1', 2)), deleted(disabled, 'disabled')]);
    expect(plan({ existing: [others] })).toEqual([created(), deleted(others, 'events')]);
    // Its URL says one set of events, the service another.
    for (const has of [['contact.created'], [...events, 'contact.deleted'], ['contact.created', 'contact.deleted']]) {
      const changed = ours('6', urlOf(events), { events: has });
      expect(plan({ existing: [changed] })).toEqual([created(urlOf(events, 'key 1', 2)), deleted(changed, 'events')]);
    }
    const unknown = ours('9', urlOf(events), { events: null });
    expect(plan({ existing: [unknown] })).toMatchObject([{ kind: 'create' }, { kind: 'leftover', existing: unknown }]);
    expect(plan({ existing: [oldKey, others] }).slice(1)).toEqual([deleted(oldKey, 'key'), deleted(others, 'events')]);
    const pruned = plan({ existing: [equal, unknown], prune: true });
    expect(pruned.slice(1)).toEqual([deleted(unknown, 'leftover')]);
    expect([...plan(), ...pruned].map(isPending)).toEqual([true, false, true]);
    expect(plan({ existing: [equal, oldKey], remove: true })).toEqual(
      [equal, oldKey].map((one) => deleted(one, 'removed')),
    );
  });

  it('keep the same one of several in every process: the earliest generation, then by URI', () => {
    const [second, tenth] = [ours('8', urlOf(events, 'key 1', 2)), ours('0', urlOf(events, 'key 1', 10))];
    for (const existing of [
      [tenth, second],
      [second, tenth],
    ])
      expect(plan({ existing })).toEqual([{ kind: 'keep', desired, existing: second }, deleted(tenth, 'duplicate')]);
    const elsewhere = ours('1', urlOf(events).replace('hooks.', 'staging.'));
    expect(findMatching({ callback, keyIds: ['key 1'] }, desired, [elsewhere, second])).toBe(second);
    expect(findMatching({ callback, keyIds: ['key 1'] }, desired, [elsewhere])).toBeUndefined();
    expect(plan({ existing: [ours('9'), ours('8')] })).toMatchObject([{ existing: { uri: '8' } }, {}]);
  });

  it('do not try again what is optional and was refused', () => {
    const optional = { owner, family: 'event-type', events: ['event_type.created'], optional: true } as const;
    const wanted = { events: [...events, ...optional.events] };
    const refused = [refusalId(optional), refusalId(desired)];
    expect(plan({ ...wanted, refused }).map(({ kind }) => kind)).toEqual(['create', 'refused']);
    expect(plan({ ...wanted, refused: refused.slice(1) }).map(({ kind }) => kind)).toEqual(['create', 'create']);
    expect(refusalId(optional)).toBe(fingerprintOf({ ...optional, keyId: '' }));
  });

  it('cover each family in the widest scope that it allows', () => {
    const scopes = (given: Partial<PlanInput>) =>
      desiredSubscriptions({ organization, recapUsers: [users[0], users[0]], events, ...given }).map(
        ({ owner: { scope, uri }, events: of }) => [scope, uri, ...of].join(' '),
      );
    const all = [
      'meeting_recap.created',
      'contact.created',
      'event_type.created',
      'routing_form_submission.created',
      'invitee_no_show.created',
      'invitee.created',
    ] as const;
    const wide = (owner: string) => [
      `${owner} invitee.created invitee_no_show.created`,
      `user ${users[0]} meeting_recap.created`,
      `organization ${organization} routing_form_submission.created`,
      `${owner} contact.created`,
      `${owner} event_type.created`,
    ];
    expect(scopes({ events: all })).toEqual(wide(`organization ${organization}`));
    expect(scopes({ events: all, group })).toEqual(wide(`group ${group}`));
  });
});
