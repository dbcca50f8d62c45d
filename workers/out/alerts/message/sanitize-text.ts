// Sanitizes untrusted values for display: one line of bounded length without control characters. Each channel escapes its own markup.

// Control characters, line separators and direction marks. Joiners stay: names and emoji need them.
const unsafe =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu;

// More combining marks than any script puts on one letter only cover the lines above (Zalgo text).
const excessMarks = /(\p{M}{4})\p{M}+/gu;

const defaultLength = 160;

/** One line; longer text ends with `…`. Returns '' for anything but a string: JSON may hold anything where a name is expected. */
export function sanitizeLine(value: unknown, maxLength = defaultLength): string {
  if (typeof value !== 'string') return '';
  // Cut before and after, so that a megabyte is not processed for the sake of one line.
  const line = value
    .slice(0, maxLength * 8)
    .toWellFormed()
    .replaceAll(unsafe, ' ')
    .replaceAll(excessMarks, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return truncate(line, maxLength);
}

/** Several lines, each sanitized, for the output of templates. */
export function sanitizeLines(text: string, maxLength: number): string {
  const lines = text.slice(0, maxLength * 8).split(/\r\n|[\n\r]/);
  return truncate(
    lines
      .map((line) => sanitizeLine(line, maxLength))
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    maxLength,
  );
}

/** Made for the first text that is cut: it takes 19 ms and 2.6 MB, and few texts are cut. */
let segmenter: Intl.Segmenter | undefined;

/** Cuts at a grapheme boundary, so that no emoji or accent is split; never returns more than `maxLength` code units. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const room = maxLength - 1;
  const last = segmenter.segment(text.slice(0, maxLength * 2)).containing(room);
  // A single grapheme may be longer than the whole line.
  const end = last === undefined || last.index === 0 ? room : last.index;
  return `${text.slice(0, end).toWellFormed().trimEnd()}…`;
}

/** As many of these texts, from the first on, as fit: a link that is cut leads nowhere. */
export function wholeTexts(
  texts: readonly string[],
  room: number,
  sizeOf: (text: string) => number = ({ length }) => length,
): string {
  let left = room;
  const first = texts.findIndex((text) => (left -= sizeOf(text)) < 0);
  return texts.slice(0, first === -1 ? texts.length : first).join('');
}
