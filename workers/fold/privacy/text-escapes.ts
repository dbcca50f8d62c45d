// Decodes the escapes in which an address can be hidden in a text: percent-encoding, JSON's `\u0040`, HTML's `&#64;`. The result is only
// searched, never stored.

/** A URL within a URL within a URL. */
const mostLevels = 3;

const percent = /(?:%[0-9a-f]{2})+/gi;
// Any number of backslashes, because JSON within JSON doubles them at each level. The first one is required to be the first, or a text of
// nothing but backslashes would take quadratic time.
const json = /(?<!\\)\\+u([0-9a-f]{4})/gi;
// The names are those of characters that an address contains, of invisible ones, and of `&`, because an escape may itself be escaped.
const html = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(commat|period|plus|lowbar|shy|lrm|rlm|zwnj|zwj|amp));?/gi;
const named: Readonly<Record<string, string>> = {
  commat: '@',
  period: '.',
  plus: '+',
  lowbar: '_',
  shy: '\u00ad',
  lrm: '\u200e',
  rlm: '\u200f',
  zwnj: '\u200c',
  zwj: '\u200d',
  amp: '&',
};

const jsonOrHtml = /\\u[0-9a-f]{4}|&(?:#x?[0-9a-f]|commat|period|plus|lowbar|shy|lrm|rlm|zwnj|zwj|amp)/i;
const anyEscape = new RegExp(`${jsonOrHtml.source}|%[0-9a-f]{2}`, 'i');

export const hasEscapes = (text: string): boolean => anyEscape.test(text);

/** The text and what it is after each level of decoding. The text itself comes first; most texts have no escapes. */
export function* decodingsOf(text: string): Generator<string> {
  yield text;
  if (!hasEscapes(text)) return;
  yield* levelsOf(text, percentDecoded);
  // Apart from the levels above: decoding everything at once can join an address with what follows it.
  if (jsonOrHtml.test(text)) yield* levelsOf(text, (each) => htmlDecoded(jsonDecoded(percentDecoded(each))));
}

function* levelsOf(text: string, decode: (text: string) => string): Generator<string> {
  let current = text;
  for (let level = 0; level < mostLevels; level += 1) {
    const plainer = decode(current);
    if (plainer === current) return;
    yield plainer;
    current = plainer;
  }
}

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(percent, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      // Not UTF-8: only the ASCII characters are decoded.
      return escaped.replaceAll(/%[2-7][0-9a-f]/gi, (one) => decodeURIComponent(one));
    }
  });
}

function jsonDecoded(text: string): string {
  return text.replaceAll(json, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

function htmlDecoded(text: string): string {
  return text.replaceAll(html, (escaped, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? escaped;
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : escaped;
  });
}
