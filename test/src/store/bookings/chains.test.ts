// Many links between invitees: chains however long. For any links: booking-invitees.engines.test.ts.
import { describe, expect, it } from 'vitest';
import { chainsOf, type LinkedInvitee } from '#src/store/bookings/chains.ts';

const uri = (n: number): string => `https://api.example.test/invitees/${String(n).padStart(5, '0')}`;
const noLinks = { old_invitee: null, new_invitee: null, rescheduled: null, created_at: null };
const chainsAmong = (count: number, linksOf: (n: number) => Partial<LinkedInvitee>) =>
  chainsOf(
    Array.from({ length: count }, (_, n) => ({
      uri: uri(n),
      ...noLinks,
      ...linksOf(n),
    })),
  );
const summary = (chains: ReturnType<typeof chainsOf>) =>
  chains.map(({ bookingUri, members, moves }) => [bookingUri, members.length, moves]);

describe('chains of reschedules', () => {
  it('may be ten thousand moves long', () => {
    const count = 10_000;
    expect(summary(chainsAmong(count, (n) => ({ old_invitee: n === 0 ? null : uri(n - 1) })))).toEqual([
      [uri(0), count, count - 1],
    ]);
  });

  it.each([1, -1])(
    'begin a long circle at its first URI, whichever way it runs (%i), with those that leave it',
    (step) => {
      const before = (n: number) => (n < 1_000 ? (n - step + 1_000) % 1_000 : n - 1_000);
      const chains = chainsAmong(2_000, (n) => ({ old_invitee: uri(before(n)) }));
      expect(summary(chains)).toEqual([[uri(0), 2_000, 1_000]]);
      expect(chains[0]?.members).toContain(uri(step === 1 ? 1 : 999));
    },
  );

  it('are one where many say they come from the same, and as many as there are where many say they go to the same', () => {
    expect(summary(chainsAmong(1_000, (n) => ({ old_invitee: n === 0 ? null : uri(0) })))).toEqual([
      [uri(0), 1_000, 1],
    ]);
    expect(summary(chainsAmong(1_000, () => ({ new_invitee: uri(5_000) })))).toEqual(
      Array.from({ length: 1_000 }, (_, n) => [uri(n), 1, 1]),
    );
  });
});
