// The custom fields of seeded contacts: most are set, each with a value of its definition's type.
import type { CustomFieldType } from '#schemas/custom-field.ts';
import type { CustomFieldValue } from '#schemas/resources/contact.ts';
import type { StoredDefinition } from '#src/sandbox/world/state.ts';
import { fraction } from './row-permutation.ts';
import { hearsay, interests, notes } from './contacts-vocabulary.ts';

const pick = <Item>(items: readonly Item[], share: number): Item => items[Math.floor(share * items.length)] as Item;

/** By a number from 0 up to, never reaching, 1. */
const valueOf = {
  text: (_, share) => pick(notes, share),
  single_select: ({ options = [] }, share) => pick(options, share).uuid,
  number: (_, share) => 1 + Math.floor(share * 500),
  boolean: (_, share) => share < 0.5,
  currency: (_, share) => Math.floor(share * 2_000_000),
  date: (_, share) => `2027-${two(1 + share * 12)}-${two(1 + ((share * 1000) % 1) * 28)}`,
  tags: (_, share) => interests.slice(Math.floor(share * 4), Math.floor(share * 4) + 1 + Math.floor((share * 100) % 3)),
  invitee_question: (_, share) => pick(hearsay, share),
} as const satisfies Record<CustomFieldType, (definition: StoredDefinition, share: number) => CustomFieldValue>;

const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');

export function seededValues(
  definitions: readonly StoredDefinition[],
  seed: number,
  row: number,
): ReadonlyMap<string, CustomFieldValue> {
  return new Map(
    definitions.flatMap((definition, index) =>
      fraction(seed, 100 + index, row) < 0.2
        ? []
        : [[definition.uri, valueOf[definition.field_type](definition, fraction(seed, 200 + index, row))] as const],
    ),
  );
}
