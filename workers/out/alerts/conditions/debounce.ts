// Debounces problems: two evaluations in a row decide that a problem has begun, and two that it has ended. Pure.
//
//   (none) ──found──▶ suspected ──found again──▶ open ──not found──▶ open ──not found again──▶ (none)
//                         └──not found──▶ (none)      ▲    └──found──┘
import { z } from 'zod';
import type { Problem } from './condition.ts';

export interface RuleProblem extends Problem {
  readonly rule: string;
}

/** One period of time during which a problem was found. */
export const episode = z
  .object({
    rule: z.string(),
    subject: z.string(),
    message: z.string(),
    /** When the problem was first found; it identifies the episode. */
    since: z.string(),
    isOpen: z.boolean(),
    /** Evaluations in a row that contradict `isOpen`. */
    against: z.number(),
  })
  .readonly();
export type Episode = z.output<typeof episode>;

const decisive = 2;

/** The result of one evaluation of all rules. */
export interface Evaluation {
  readonly found: readonly RuleProblem[];
  /** Rules whose state is unknown at present: their episodes stay as they are. */
  readonly unknown: ReadonlySet<string>;
  /** Every rule of the file: episodes of other rules are dropped. */
  readonly rules: ReadonlySet<string>;
  readonly now: string;
}

export function advance(before: readonly Episode[], { found, unknown, rules, now }: Evaluation): readonly Episode[] {
  const episodes = new Map(before.map((one) => [keyOf(one), one]));
  const isFound = new Set(found.map(keyOf));
  const notFound = before.filter((one) => rules.has(one.rule) && !isFound.has(keyOf(one)));
  return [
    ...found.map((one) => confirmed(episodes.get(keyOf(one)), one, now)),
    ...notFound.flatMap((one) => (unknown.has(one.rule) ? [one] : contradicted(one))),
  ];
}

function confirmed(before: Episode | undefined, found: RuleProblem, now: string): Episode {
  if (before === undefined) return { ...found, since: now, isOpen: false, against: 1 };
  const isOpen = before.isOpen || before.against + 1 >= decisive;
  return { ...before, ...found, isOpen, against: isOpen ? 0 : before.against + 1 };
}

function contradicted(episode: Episode): readonly Episode[] {
  const against = episode.against + 1;
  return episode.isOpen && against < decisive ? [{ ...episode, against }] : [];
}

const keyOf = ({ rule, subject }: Pick<RuleProblem, 'rule' | 'subject'>): string => `${rule} ${subject}`;
