// What an engine's index of contact texts must do, and the LIKE patterns that narrow a search down.
import type { Kysely, RawBuilder, SqlBool } from 'kysely';
import type { Database } from '#src/store/tables.ts';
import type { FilterValue, ColumnFilter, TextsOf } from './contact-match.ts';

export type Condition = RawBuilder<SqlBool>;

export interface CandidateSearch {
  readonly filters: readonly FilterValue<ColumnFilter>[];
  /** The filters as conditions, as far as the engine can express them. */
  readonly condition: Condition | undefined;
  /** Texts of contacts, by which the engine estimates what is rare. */
  readonly sample: readonly TextsOf[];
  /** The column with the time to sort by. */
  readonly order: string;
  /** More candidates than these are of no use. */
  readonly most: number;
}

export interface ContactIndex {
  /** Conditions that a column equals one of these values. */
  equals(column: RawBuilder<unknown>, values: readonly string[]): readonly Condition[];
  like(column: RawBuilder<unknown>, pattern: string): Condition;
  /** How `like` compares letters. */
  folding(db: Kysely<Database>): Promise<CaseRule>;
  /** A query for `key` (the time to sort by) and `uri` of every row of `contact_search` that may match; undefined where the index does not help. */
  candidates(db: Kysely<Database>, search: CandidateSearch): Promise<RawBuilder<unknown> | undefined>;
  /** The texts of a contact as the index spells them, for the column `words`; null where the index reads the texts themselves. */
  readonly words: RawBuilder<unknown>;
  /** A query for these values, as one parameter. */
  list(values: readonly string[]): RawBuilder<unknown>;
  /** The statements that create a missing index, for an operator to run; empty where none is missing. */
  missing(db: Kysely<Database>): Promise<readonly string[]>;
}

/**
 * How a database compares letters in other cases. Databases disagree with each other and with JavaScript, so a pattern has "any one
 * character" in place of every letter in doubt: it matches at least what the segment matches.
 */
export interface CaseRule {
  /** Whether the database ignores the case of letters beyond ASCII. */
  readonly beyondAscii: boolean;
  /** Whether the text compared has no U+212A and U+0130 any more, the only other characters whose small letters are ASCII. */
  readonly asciiIsSafe: boolean;
}

/** The pattern for a segment in lower case. */
export function likePattern(segment: string, { beyondAscii, asciiIsSafe }: CaseRule): string {
  // U+0130 is one character whose small letter is two.
  const parts = segment.split('i\u0307').map((part) =>
    Array.from(part, (character) => {
      if (character === 'k') return asciiIsSafe ? 'k' : '_';
      if (/[%_\\]/.test(character)) return `\\${character}`;
      return character <= '\u007f' || isCaseless(character) || (beyondAscii && undisputed.test(character))
        ? character
        : '_';
    }).join(''),
  );
  return `%${parts.join('%')}%`;
}

const isCaseless = (character: string): boolean =>
  character.toUpperCase() === character && character.toLowerCase() === character;

/** Lower-case letters with exactly one upper-case letter everywhere: Latin, Greek and Cyrillic without their special cases. */
const undisputed = /^[à-äæ-öø-ýā-įĳ-ľŀ-ňŋ-žα-ηι-ρτ-ψа-џ]$/;
