// A partial segment as a LIKE pattern that lets through at least what the segment fits: databases disagree with each other, and
// with JavaScript, about which letters are the same in another case, so those become "any one character".

export interface Folding {
  /** Whether the database ignores the case of letters beyond ASCII. */
  readonly beyondAscii: boolean;
  /** Whether the text compared has no U+212A and U+0130 any more, the only other characters whose small letters are ASCII. */
  readonly asciiIsSafe: boolean;
}

/** `segment` in small letters. */
export function likePattern(segment: string, { beyondAscii, asciiIsSafe }: Folding): string {
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

/** Small letters with one capital each, the same to everybody: Latin, Greek and Cyrillic without their special cases. */
const undisputed = /^[à-äæ-öø-ýā-įĳ-ľŀ-ňŋ-žα-ηι-ρτ-ψа-џ]$/;
