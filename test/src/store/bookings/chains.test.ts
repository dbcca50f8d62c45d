// Links between invitees that no service would send: every invitee is in exactly one chain, however they are linked.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../harness/runs.ts';
import { chainsOf, type LinkedInvitee } from '#src/store/bookings/chains.ts';

const uri = (n: number): string => `https://api.example.test/invitees/${String(n).padStart(5, '0')}`;
const invitee = (n: number, links: Partial<LinkedInvitee> = {}): LinkedInvitee => ({
  uri: uri(n),
  old_invitee: null,
  new_invitee: null,
  rescheduled: null,
  created_at: null,
  ...links,
});
const chainsAmong = (count: number, linksOf: (n: number) => Partial<LinkedInvitee>) =>
  chainsOf(Array.from({ length: count }, (_, n) => invitee(n, linksOf(n))));
const summary = (chains: ReturnType<typeof chainsOf>) =>
  chains.map(({ journeyUri, members, moves }) => [journeyUri, members.length, moves]);

describe('chains of reschedules', () => {
  it('need one link of two, and no invitee in the middle', () => {
    const chains = chainsOf([
      invitee(1, { new_invitee: uri(2) }),
      invitee(3, { old_invitee: uri(2), created_at: '2025-01-02T00:00:00.000000Z' }),
      invitee(4, { old_invitee: uri(3), rescheduled: true }),
    ]);
    expect(chains).toEqual([{ journeyUri: uri(1), members: [uri(1), uri(3), uri(4)], moves: 4 }]);
  });

  it('may be ten thousand moves long', () => {
    const count = 10_000;
    expect(summary(chainsAmong(count, (n) => ({ old_invitee: n === 0 ? null : uri(n - 1) })))).toEqual([
      [uri(0), count, count - 1],
    ]);
  });

  it.each([1, -1])('begin a circle at its first URI, whichever way it runs (%i)', (step) => {
    const chains = chainsAmong(1_000, (n) => ({ new_invitee: uri((n + step + 1_000) % 1_000) }));
    expect(summary(chains)).toEqual([[uri(0), 1_000, 1_000]]);
    expect(chains[0]?.members.slice(0, 2)).toEqual([uri(0), uri(step === 1 ? 1 : 999)]);
  });

  it('begin a circle at its first URI, with those that come from its members', () => {
    const chains = chainsAmong(2_000, (n) => ({ old_invitee: uri(n < 1_000 ? (n + 1) % 1_000 : n - 1_000) }));
    expect(summary(chains)).toEqual([[uri(0), 2_000, 1_000]]);
  });

  it('are one where many say they come from the same, and as many as there are where many say they go to the same', () => {
    expect(summary(chainsAmong(1_000, (n) => ({ old_invitee: n === 0 ? null : uri(0) })))).toEqual([
      [uri(0), 1_000, 1],
    ]);
    expect(summary(chainsAmong(1_000, () => ({ new_invitee: uri(5_000) })))).toEqual(
      Array.from({ length: 1_000 }, (_, n) => [uri(n), 1, 1]),
    );
  });

  it('ignore an invitee that names itself, or no other', () => {
    expect(summary(chainsAmong(2, (n) => ({ old_invitee: uri(n), new_invitee: '' })))).toEqual([
      [uri(0), 1, 0],
      [uri(1), 1, 0],
    ]);
  });

  it('put every invitee into exactly one, in any order of the invitees the same', () => {
    const link = fc.option(fc.nat(9).map(uri), { freq: 2 });
    const linked = fc.record({ old_invitee: link, new_invitee: link, rescheduled: fc.boolean() });
    const world = fc
      .array(linked, { maxLength: 8 })
      .map((links) => links.map((each, n) => invitee(n, each)))
      .chain((invitees) =>
        fc.tuple(fc.constant(invitees), fc.shuffledSubarray(invitees, { minLength: invitees.length })),
      );
    fc.assert(
      fc.property(world, ([invitees, shuffled]) => {
        const inOrder = (of: readonly LinkedInvitee[]) =>
          chainsOf(of).toSorted((a, b) => (a.journeyUri < b.journeyUri ? -1 : 1));
        expect(inOrder(shuffled)).toEqual(inOrder(invitees));
        const members = chainsOf(invitees).flatMap((chain) => chain.members);
        expect(members.toSorted()).toEqual(invitees.map((each) => each.uri));
      }),
      runs(500),
    );
  });
});
