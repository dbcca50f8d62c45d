// Drift as it is named and counted, and what a reconcile reads: values in, values out.
import { describe, expect, it } from 'vitest';
import { driftOf, isDrift } from '#workers/sync/reconcile/drift-report.ts';
import type { Changes } from '#workers/fold/projections/merge.ts';
import { fullTraversals, recentTraversals, wantedResources } from '#workers/sync/reconcile/plan.ts';
import { allKinds } from '../../../harness/mirror/test-reconcile.ts';

const uri = 'https://api.example.test/contacts/1';

describe('drift', () => {
  it('names the fields that differ, those of other rows with their table, and no value', () => {
    const changes = {
      organization_memberships: { role: ['user', 'admin'] as [string, string] },
      users: { email: ['old@example.test', 'new@example.test'] as [string, string] },
    };
    const drift = driftOf({ kind: 'organization_membership', uri, how: 'updated', changes });
    expect(drift).toEqual({
      how: 'different',
      kind: 'organization_membership',
      uri,
      fields: ['role', 'users.email'],
    });
    expect(JSON.stringify(drift)).not.toContain('example.test"');
  });

  it('is apart where a contact differs only in dates for which the service sends no webhook', () => {
    const how = (kind: 'contact' | 'event_type', ...columns: string[]) => {
      const table = kind === 'contact' ? 'contacts' : 'event_types';
      const changes = { [table]: Object.fromEntries(columns.map((column) => [column, [null, 'x']])) } as Changes;
      return driftOf({ kind, uri, how: 'updated', changes }).how;
    };
    expect(how('contact', 'next_meeting_date')).toBe('meeting_dates');
    expect(how('contact', 'last_meeting_date', 'last_interaction_date', 'updated_at')).toBe('meeting_dates');
    expect(how('contact', 'next_meeting_date', 'company')).toBe('different');
    expect(how('contact', 'updated_at')).toBe('different');
    expect(how('event_type', 'next_meeting_date')).toBe('different');
  });

  it('is none where a contact differs only because custom fields were added, renamed or removed', () => {
    const field = (n: number, label: string, value: unknown = null) => ({ uri: `${uri}/fields/${n}`, label, value });
    const how = (before: unknown, after: unknown, more: object = {}) => {
      const changes = { contacts: { custom_fields: [before, after], ...more } } as Changes;
      return driftOf({ kind: 'contact', uri, how: 'updated', changes }).how;
    };
    const before = [field(1, 'Notes', 'x'), field(2, 'Tags', ['a']), field(3, 'Old', 5)];
    expect(how(before, [field(1, 'Account notes', 'x'), field(2, 'Tags', ['a']), field(4, 'New')])).toBe('definitions');
    expect(how(before, before.slice(0, 2), { next_meeting_date: [null, 'x'] })).toBe('definitions');
    expect(how(before, [field(1, 'Account notes', 'y'), ...before.slice(1)])).toBe('different');
    expect(how(before, before.slice(1), { updated_at: [null, 'x'] })).toBe('different');
    expect(how(before, before.slice(1), { company: [null, 'x'] })).toBe('different');
    expect((['missing', 'extra', 'different', 'meeting_dates', 'definitions'] as const).filter(isDrift)).toEqual([
      'missing',
      'extra',
      'different',
    ]);
  });
});

describe('what a reconcile reads', () => {
  const nowMs = Date.parse('2026-11-15T12:00:00Z');
  const updated = (at: string) => ({
    records: [{ kind: 'contact', record: { updated_at: at }, observed: at } as const],
  });

  it('is, of recent changes, contacts back to a moment and the meetings of these weeks', () => {
    const walks = recentTraversals(wantedResources(allKinds), { since: '2026-11-15T11:00:00.000000Z', nowMs });
    expect(walks.map(({ resource }) => resource.name)).toEqual(['contacts', 'scheduled_events']);
    const [contacts, meetings] = walks;
    expect(contacts?.query).toEqual({ sort: 'updated_at:desc' });
    expect(contacts?.isLast?.(updated('2026-11-15T11:00:00Z'))).toBe(false);
    expect(contacts?.isLast?.(updated('2026-11-15T10:59:59.999Z'))).toBe(true);
    expect(meetings?.query).toEqual({
      min_start_time: '2026-11-08T12:00:00.000Z',
      max_start_time: '2026-12-15T12:00:00.000Z',
    });
    expect(walks.some(({ deletes }) => deletes)).toBe(false);
  });

  it('is all contacts when no run was ever complete', () => {
    const [contacts] = recentTraversals(wantedResources(allKinds), { since: undefined, nowMs });
    expect(contacts?.isLast?.(updated('2001-01-01T00:00:00Z'))).toBe(false);
  });

  it('is, of the whole, every resource, and deletes are looked for where there can be any', () => {
    const walks = fullTraversals(wantedResources(allKinds));
    expect(walks).toHaveLength(7);
    expect(walks.flatMap(({ deletes }) => deletes ?? [])).toEqual([
      'organization_membership',
      'custom_field_definition',
      'contact',
      'event_type',
      'routing_form',
      'meeting_recap',
    ]);
  });
});
