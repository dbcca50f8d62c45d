// When trouble has begun and when it is over, damped: it takes two readings in a row to say either. Pure.
//
//   (none) ──so──▶ suspected ──so again──▶ open ──not so──▶ open ──not so again──▶ (none)
//                      └──not so──▶ (none)         ▲   └──so──┘
import type { Trouble } from './condition.ts';

export interface Found extends Trouble {
  readonly rule: string;
}

/** One stretch of time in which something was so. */
export interface Episode extends Found {
  /** When it was first seen: its identity. */
  readonly since: string;
  readonly isOpen: boolean;
  /** Readings in a row that spoke against what `isOpen` says. */
  readonly against: number;
}

const enough = 2;

export interface Heard {
  readonly found: readonly Found[];
  /** Rules of which nothing could be known this time: what they said stays. */
  readonly unknown: ReadonlySet<string>;
  /** Rules there still are: what others said is forgotten. */
  readonly rules: ReadonlySet<string>;
  readonly now: string;
}

export function advance(before: readonly Episode[], { found, unknown, rules, now }: Heard): readonly Episode[] {
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const isFound = new Set(found.map(keyOf));
  const silent = before.filter((one) => rules.has(one.rule) && !isFound.has(keyOf(one)));
  return [
    ...found.map((one) => confirmed(known.get(keyOf(one)), one, now)),
    ...silent.flatMap((one) => (unknown.has(one.rule) ? [one] : doubted(one))),
  ];
}

function confirmed(before: Episode | undefined, found: Found, now: string): Episode {
  if (before === undefined) return { ...found, since: now, isOpen: false, against: 1 };
  const isOpen = before.isOpen || before.against + 1 >= enough;
  return { ...before, ...found, isOpen, against: isOpen ? 0 : before.against + 1 };
}

function doubted(episode: Episode): readonly Episode[] {
  const against = episode.against + 1;
  return episode.isOpen && against < enough ? [{ ...episode, against }] : [];
}

const keyOf = ({ rule, subject }: Pick<Found, 'rule' | 'subject'>): string => `${rule} ${subject}`;
