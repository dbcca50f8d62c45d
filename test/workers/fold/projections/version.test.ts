// The order in which facts replace each other, as text.
import { describe, expect, it } from 'vitest';
import {
  fieldVersions,
  isPageOf,
  observedAgain,
  observedIn,
  ranks,
  rowVersion,
  versionByObservation,
  versionOf,
  type Stamp,
} from '#workers/fold/projections/version.ts';

const at = (fraction: string) => `2025-04-14T11:42:33.${fraction}Z`;
const stamp = (changes: Partial<Stamp> = {}): Stamp => ({
  updatedAt: at('115889'),
  observed: at('500000'),
  rank: ranks.created,
  tie: '8'.repeat(16),
  ...changes,
});

describe('the version of a fact', () => {
  it('compares lead, update to the millisecond, observation, rank, update and tie, in this order', () => {
    const rising = [
      versionOf(stamp({ updatedAt: null, observed: at('999999'), rank: ranks.final })),
      versionOf(stamp({ updatedAt: at('114999'), observed: at('999999'), rank: ranks.final })),
      versionOf(stamp({ updatedAt: at('115999'), observed: at('400000'), rank: ranks.final })),
      versionOf(stamp({ updatedAt: at('115999'), rank: ranks.page })),
      versionOf(stamp({ updatedAt: at('115000'), tie: 'f'.repeat(16) })),
      versionOf(stamp({ tie: '0'.repeat(16) })),
      versionOf(stamp({ tie: 'f'.repeat(16) })),
      versionOf(stamp({ rank: ranks.updated })),
      versionOf(stamp({ rank: ranks.final })),
      versionOf(stamp({ updatedAt: at('116000'), observed: at('000000') })),
      versionOf(stamp({ updatedAt: null, observed: '0001-01-01T00:00:00.000000Z' }), true),
    ];
    expect(rising.toSorted()).toEqual(rising);
    expect(new Set(rising.map((version) => version.length))).toEqual(new Set([75]));
  });

  it('puts what was observed last first where updates may lack their time', () => {
    const earlier = versionByObservation(stamp({ updatedAt: at('999999') }));
    const later = versionByObservation(stamp({ updatedAt: null, observed: at('500001') }));
    expect(later > earlier).toBe(true);
    expect(versionByObservation(stamp()) > versionByObservation(stamp({ updatedAt: null, tie: 'f'.repeat(16) }))).toBe(
      true,
    );
  });

  it('tells when the fact was observed', () => {
    expect(observedIn(versionOf(stamp()))).toBe(at('500000'));
    expect(observedIn(versionOf(stamp({ updatedAt: null }), true))).toBe(at('500000'));
    expect(observedIn(versionByObservation(stamp()))).toBe(at('500000'));
  });

  it.each([versionOf, versionByObservation])(
    'of a page tells which page it was, and when it was asked for again',
    (of) => {
      const page = stamp({ rank: ranks.page, tie: 'a'.repeat(16) });
      expect(isPageOf(of(page), page.tie)).toBe(true);
      expect(isPageOf(of(page), 'b'.repeat(16))).toBe(false);
      expect(isPageOf(of({ ...page, rank: ranks.created }), page.tie)).toBe(false);
      expect(observedAgain(of(page), at('700000'))).toBe(of({ ...page, observed: at('700000') }));
    },
  );

  it('of a field is its own where it lags, else that of the row, and empty where no fact has assigned it', () => {
    const [older, newer] = [versionOf(stamp()), versionOf(stamp({ updatedAt: at('999999') }))];
    const row = { version: newer, lagging: { name: older, city: '' } };
    expect(rowVersion(row)).toBe(newer);
    expect(fieldVersions(row)('email')).toBe(newer);
    expect(fieldVersions(row)('name')).toBe(older);
    expect(fieldVersions(row)('city')).toBe('');
    expect(rowVersion({ version: null })).toBe('');
  });

  it('has one width: a tie of another length is a programming error', () => {
    expect(() => versionOf(stamp({ tie: 'short' }))).toThrow('75 characters');
  });
});
