// What is wrong with a value of the rules file, in words for the person who wrote it.
import type { z } from 'zod';
import { nearestName } from '#src/base/did-you-mean.ts';
import { propertyOf } from '#schemas/wire.ts';

/** One mistake: where, below the value that was checked, and what. */
export interface Mistake {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** Every mistake of a value. `known`: the names of its fields, for suggestions. */
export function mistakesIn(schema: z.ZodType, value: unknown, known: readonly string[]): readonly Mistake[] {
  const read = schema.safeParse(value, { error: ({ input }) => (input === undefined ? missing : undefined) });
  return (read.error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], text: unknownField(key, issue.path.length, known) }))
      : [{ path: issue.path, text: textOf(issue) }],
  );
}

const missing = 'is missing';

function unknownField(key: string, depth: number, known: readonly string[]): string {
  const nearest = depth === 0 ? nearestName(known, key) : undefined;
  return nearest === undefined ? 'is not a known field' : `is not a known field; did you mean ${nearest}?`;
}

function textOf(issue: z.core.$ZodIssue): string {
  if (issue.message === missing) return missing;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeTexts.get(issue.expected) ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      if (issue.message.startsWith('must be')) return issue.message;
      return 'must be one value or a list of values, which are texts, numbers, true or false';
    case 'too_small':
      if (issue.origin === 'string' || issue.origin === 'array') return 'must not be empty';
      return issue.inclusive ? `must be at least ${issue.minimum}` : `must be more than ${issue.minimum}`;
    case 'too_big': {
      const unit = issue.origin === 'string' ? ' characters long' : issue.origin === 'array' ? ' items long' : '';
      return `must be at most ${issue.maximum}${unit}`;
    }
    case 'invalid_format':
      return `must be ${issue.message}`;
    default:
      return issue.message;
  }
}

const typeTexts: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

/** `rules.2 (late)`: by position, and by name where it has one. */
export function ruleText(rule: unknown, index: number): string {
  const name = propertyOf(rule, 'name');
  const isShown = typeof name === 'string' && /^[\w .-]{1,64}$/.test(name);
  return `rules.${index}${isShown ? ` (${name})` : ''}`;
}
