// Escaped and differently spelled addresses: found in every form, in any field and in JSON within a text; a text without the address stays
// byte for byte.
import fc, { type Arbitrary } from 'fast-check';
import { domainToASCII } from 'node:url';
import { describe, expect, it } from 'vitest';
import { blankEntry, parseText } from '#workers/fold/pipeline/parse.ts';
import { erasedAddress, erasuresOf } from '#workers/fold/privacy/erasure-index.ts';
import { redactErased } from '#workers/fold/privacy/redact-fact.ts';
import { decodingsOf } from '#workers/fold/privacy/text-escapes.ts';
import { anyText } from '../../../harness/data/any-text.ts';
import { runs } from '../../../harness/runs.ts';

const key = 'k'.repeat(64);
const through = '2026-01-01T00:00:00.000000Z';
const code = (character: string): number => character.codePointAt(0) ?? 0;
const hex = (character: string): string => code(character).toString(16);

type Form = (text: string) => string;
const everywhere =
  (escape: (character: string) => string): Form =>
  (text) =>
    Array.from(text, escape).join('');
const onlyAt =
  (escaped: string): Form =>
  (text) =>
    text.replace('@', escaped);

/** Ways to write any text so that a reader still sees the same address. */
const forms: Readonly<Record<string, Form>> = {
  plain: (text) => text,
  // The capitals of ß are SS, which is another domain.
  capitals: (text) => text.replaceAll(/[^ß]+/g, (some) => some.toUpperCase()),
  decomposed: (text) => text.normalize('NFD'),
  'full-width @': onlyAt('\uff20'),
  'small @': onlyAt('\ufe6b'),
  'full-width letters': everywhere((each) => (/[!-~]/.test(each) ? String.fromCharCode(code(each) + 0xfee0) : each)),
  'zero-width characters': everywhere((each) => `${each}\u200b\u200d`),
  'soft hyphens and word joiners': (text) => text.split('').join('\u00ad\u2060'),
  'soft hyphens in HTML': (text) => text.replace('.', '&shy;.').replace('@', '&#173;@'),
  'direction marks': (text) => `\u202a${text.replace('@', '\u200e@\u2068').replace('.', '.\u2069')}\u202c`,
  'direction marks in HTML': (text) => `&lrm;${text.replace('@', '&rlm;@').replace('.', '&zwj;.&zwnj;')}`,
  'joiners between letters and accents': (text) => text.normalize('NFD').split('').join('\u034f'),
  'zero-width space, percent-encoded': (text) => encodeURIComponent(text.replace('@', '@\u200b')),
  'byte order marks': onlyAt('\ufeff@\ufeff'),
  punycode: (text) => text.replace(/@(.+)$/, (_, domain: string) => `@${domainToASCII(domain)}`),
  'JSON escape of @': onlyAt('\\u0040'),
  'JSON escapes': everywhere((each) => (code(each) > 0xffff ? each : `\\u${hex(each).padStart(4, '0')}`)),
  'HTML, decimal': onlyAt('&#64;'),
  'HTML, zeros and no semicolon': onlyAt('&#0064'),
  'HTML, hexadecimal': onlyAt('&#x40;'),
  'HTML, name': onlyAt('&commat;'),
  'HTML within HTML': onlyAt('&amp;#64;'),
  'HTML throughout': everywhere((each) => `&#x${hex(each)};`),
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
};

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const word = (characters: string): Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...characters.split('')), minLength: 2, maxLength: 8 });
const addresses = fc
  .tuple(
    fc.oneof(word(letters), word(`${letters}äöüéø`), fc.constant('first.last+tag_1')),
    fc.oneof(word(letters.slice(0, 26)), fc.constantFrom('bücher', 'straße', '例え', 'пример')),
    fc.constantFrom('example', 'test', 'co.test'),
  )
  .map(([local, label, end]) => `${local}@${label}.${end}`);

const around = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `see <${text}>, please`,
  (text) => `https://example.test/?a=1&email=${text}`,
  (text) => JSON.stringify({ from: `line\n${text}\tnext` }),
  (text) => JSON.stringify({ inner: JSON.stringify([`"${text}"`]) }),
);

/** A contact whose fields are these texts. */
const contactBody = (fields: object): string =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: '2025-04-14T11:00:00Z',
    payload: { uri: 'https://api.example.test/contacts/other', name: 'Grace', emails: [], ...fields },
  });

const field = fc.constantFrom<(text: string) => object>(
  (text) => ({ company: text }),
  (text) => ({ custom_fields: [{ name: 'note', value: text }] }),
  (text) => ({ unknown_to_us: { deep: [[{ text }]] } }),
  (text) => ({ unknown_to_us: { [text]: 1 } }),
);

function redactedText(address: string, body: string): string {
  const erasures = erasuresOf({ seq: 1, key, erased: [erasedAddress(key, { address, through })] });
  const item = parseText(body, { ...blankEntry, received_at: through, body });
  return redactErased(erasures, item).entry.body ?? '';
}

describe('an erased address', () => {
  it('is removed from any field in whatever form it is written there', () => {
    const form = fc.constantFrom(...Object.entries(forms));
    fc.assert(
      fc.property(addresses, form, around, field, (address, [, write], surround, put) => {
        const written = surround(write(address));
        const body = contactBody({ job_title: 'stays', ...put(written) });
        const text = redactedText(address, body);
        expect(text).not.toContain(JSON.stringify(written).slice(1, -1));
        expect(text).toContain('stays');
      }),
      runs(600),
    );
  });

  it('is erased whichever form the operator names, if a mail program would accept that form', () => {
    const body = contactBody({ company: 'victim@bücher.example' });
    const accepted =
      'plain, capitals, decomposed, zero-width characters, byte order marks, full-width @, full-width letters, punycode';
    for (const name of accepted.split(', '))
      expect([name, redactedText(forms[name]?.('victim@bücher.example') ?? '', body)]).toEqual([
        name,
        expect.not.stringContaining('bücher'),
      ]);
  });

  it('is not found in other texts: they stay byte for byte, escapes included', () => {
    const piece = fc.oneof(
      anyText(),
      fc.constantFrom(...String.raw`\u0040 \\u0040 &#64; &#x40; &commat; %40 %2540 ＠ @ &#9999999;`.split(' ')),
      fc.constantFrom('x', '.', 'bücher.example', 'xn--bcher-kva.example', '\ud800', 'ﬁ', '\u3002', '\u200b', '&shy;'),
    );
    const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, field, (text, put) => {
        const body = contactBody(put(text));
        expect(redactedText('victim@bücher.example', body)).toBe(body);
      }),
      runs(600),
    );
  });

  it('is found up to three levels deep, and a text is decoded no further', () => {
    expect([...decodingsOf('no escapes: 5 % & more \\ x')]).toEqual(['no escapes: 5 % & more \\ x']);
    expect([...decodingsOf('a%252540b')]).toEqual(['a%252540b', 'a%2540b', 'a%40b', 'a@b']);
    expect([...decodingsOf('&amp;amp;amp;amp;#64;')].at(-1)).toBe('&amp;#64;');
  });

  it.each([
    'see\u200bada@example.test\ufeffplease',
    'see\u00adada\uff20example.test\u2060please',
    'a\\nada@example.test',
    'a\\\\tada@example.test',
    '\\u000aada@example.test',
  ])('is found behind a character without a width, and behind the letter of an escaped line break: %j', (text) => {
    expect(redactedText('ada@example.test', contactBody({ company: text }))).toContain('"company":null');
  });
});
