// Values that anybody may have sent, as they are put into words: one line of bounded length that commands no reader's screen.
// Escaping for a channel's own markup is the channel's.

// Controls, line separators and marks that turn the direction of a line. Joiners stay: names and emoji need them.
const obeyed =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu;

// More marks than any script puts on one letter only climb over the lines above.
const piled = /(\p{M}{4})\p{M}+/gu;

const longestValue = 160;

/** One line; what is too long ends with `…`. Nothing, of what is no text: JSON may hold anything where a name ought to be. */
export function spoken(value: unknown, longest = longestValue): string {
  if (typeof value !== 'string') return '';
  // Cut twice: a megabyte is not walked through for the sake of its first line.
  const line = value
    .slice(0, longest * 8)
    .toWellFormed()
    .replaceAll(obeyed, ' ')
    .replaceAll(piled, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return cutAt(line, longest);
}

/** Several lines, each made safe, as a template may write them. */
export function spokenLines(text: string, longest: number): string {
  const lines = text.slice(0, longest * 8).split(/\r\n|[\n\r]/);
  return cutAt(
    lines
      .map((line) => spoken(line, longest))
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    longest,
  );
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** By what people see as one character, so that no emoji or accent is torn apart; never more code units than allowed. */
export function cutAt(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const room = longest - 1;
  const last = segmenter.segment(text.slice(0, longest * 2)).containing(room);
  // Joined into one character, a text may be longer than the whole line.
  const end = last === undefined || last.index === 0 ? room : last.index;
  return `${text.slice(0, end).toWellFormed().trimEnd()}…`;
}
