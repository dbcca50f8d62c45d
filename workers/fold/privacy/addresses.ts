// Finds e-mail addresses in any text, and computes the keyed hash by which an erased address is recognized.
import { createHmac } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';
import { decodingsOf } from './text-escapes.ts';

export const isAddress = (text: string): boolean => /^[^\s@]{1,64}@[^\s@]{1,253}$/.test(normalText(text.trim()));

const beyondAscii = /[\u0080-\uffff]/;
export const isAscii = (text: string): boolean => !beyondAscii.test(text);

/** Soft hyphens, marks of direction and others that are not shown, which a text that was copied from a mail, a page or an address book has. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** One form for each character, such as `@` for the full-width `＠`, small letters, and nothing invisible. */
export function normalText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  // What is invisible goes first: it keeps a letter and its accent apart. Again at the end: a small letter can have another form than the
  // capital. Domains of some scripts are written with the dot U+3002.
  return text.replaceAll(invisible, '').normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('\u3002', '.');
}

/** All spellings of one address are equal in this form. Its domain is ASCII: mail systems write `bücher.example` as `xn--bcher-kva.example`. */
export function normalAddress(text: string): string {
  const plain = normalText(text.trim());
  const domainStart = plain.lastIndexOf('@') + 1;
  return domainStart === 0 ? plain : plain.slice(0, domainStart) + asciiDomain(plain.slice(domainStart));
}

/** The forms in which the tables may hold an address: they store what was delivered, in small letters. */
export function storedForms(address: string): string[] {
  const normal = normalAddress(address);
  const domainStart = normal.lastIndexOf('@') + 1;
  const unicode = normal.slice(0, domainStart) + unicodeDomain(normal.slice(domainStart));
  return [...new Set([address, address.normalize('NFC').toLowerCase(), normal, unicode])];
}

/** The domain itself when it is not one that can be registered. */
function asciiDomain(domain: string): string {
  return isAscii(domain) || !wholeDomain.test(domain) ? domain : domainToASCII(domain) || domain;
}

/** Keyed, so that a reader of the log cannot test which addresses were erased. */
export const addressHash = (key: string, address: string): string => spellingHash(key, normalAddress(address));

/** The same for an address as `addressesIn` returns it, which is not normalized further. */
export function spellingHash(key: string, spelling: string): string {
  return createHmac('sha256', key).update(spelling).digest('hex');
}

/**
 * A fast 16-bit hash of an address as `addressesIn` returns it: most addresses differ in it and need no HMAC. It is too short to identify
 * a person, and it depends on the key.
 */
export function sieveOf(key: string): (spelling: string) => number {
  const seed = createHmac('sha256', key).update('sieve').digest().readInt32LE();
  return (spelling) => {
    let bits = seed;
    for (let index = 0; index < spelling.length; index += 1)
      bits = Math.imul(bits ^ spelling.charCodeAt(index), 0x01000193);
    bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
    return ((bits ^ (bits >>> 12)) >>> 8) & 0xffff;
  };
}

const localPartCharacters = "\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~.-";
const outsideLocalPart = new RegExp(`[^${localPartCharacters}]`, 'u');
const isLocalPartAscii = Array.from({ length: 128 }, (_, code) => !outsideLocalPart.test(String.fromCharCode(code)));
const domainPattern = /[\p{L}\p{M}\p{N}.-]+/uy;
const wholeDomain = /^[\p{L}\p{M}\p{N}.-]+$/u;
// Allowed in an address but rare there; far more often they separate it from what precedes it, as in `?email=`.
const separators = /[!#$%&'*/=?^`{|}~]/g;
const mostLocalParts = 8;
const mostDomains = 4;
/** Without any of these a text contains no address, not even an escaped one. */
const hints = /[@\uff20\ufe6b%&\\]/;

/** Every candidate for an address in a text, normalized, also where it is escaped. */
export function* addressesIn(text: string): Generator<string> {
  if (!hints.test(text)) return;
  const seen = new Set<string>();
  for (const decoded of decodingsOf(text))
    for (const { name, domain } of runsIn(decoded, seen))
      for (const local of namesIn(name)) for (const host of domainsIn(domain)) yield `${local}@${host}`;
}

interface AddressRun {
  readonly name: string;
  readonly domain: string;
}

/** The characters around each `@`, without repetitions. */
function* runsIn(text: string, seen: Set<string>): Generator<AddressRun> {
  yield* runsInNormal(normalText(text), seen);
  // Such a character may also separate the address from the words around it.
  const spaced = text.replaceAll(invisible, ' ');
  if (spaced !== text) yield* runsInNormal(normalText(spaced), seen);
}

/** Takes linear time for any text. */
function* runsInNormal(text: string, seen: Set<string>): Generator<AddressRun> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    // No domain contains an `@`, so these steps together are linear in the text.
    domainPattern.lastIndex = at + 1;
    const domain = domainPattern
      .exec(text)?.[0]
      .slice(0, 254)
      .replace(/[.-]+$/, '');
    if (!domain) continue;
    const name = nameBefore(text, at);
    // The letter of an escaped line break may or may not belong to the name.
    const isEscape = text[at - name.length - 1] === '\\' && /^[bfnrt]/.test(name);
    for (const each of isEscape ? [name, name.slice(1)] : [name]) {
      const run = `${each}@${domain}`;
      if (each === '' || seen.has(run)) continue;
      seen.add(run);
      yield { name: each, domain };
    }
  }
}

function nameBefore(text: string, at: number): string {
  const first = Math.max(0, at - 64);
  let from = at;
  while (from > first && isLocalPartAscii[text.charCodeAt(from - 1)]) from -= 1;
  const isWhole = from === first || text.charCodeAt(from - 1) < 128;
  return isWhole ? text.slice(from, at) : (text.slice(first, at).split(outsideLocalPart).at(-1) ?? '');
}

/** The whole run, and the rest of it after each character that may be a separator. */
function namesIn(run: string): Set<string> {
  const names = new Set([run]);
  const add = (name: string) => name !== '' && names.add(name);
  add(run.replace(/^[._-]+/, ''));
  for (const { index } of [...run.matchAll(separators)].slice(-mostLocalParts)) add(run.slice(index + 1));
  return names;
}

/** A sentence that continues without a space after its full stop looks like a longer domain. */
function domainsIn(run: string): Set<string> {
  if (isAscii(run) && !run.includes('xn--')) return shorterDomains(run);
  const unicode = unicodeDomain(run);
  const ascii = asciiDomain(unicode);
  // Labels are converted one by one, so the shorter domains need no conversion of their own, unless the whole cannot be converted.
  return ascii === unicode ? new Set([...shorterDomains(unicode)].map(asciiDomain)) : shorterDomains(ascii);
}

function shorterDomains(domain: string): Set<string> {
  const domains = new Set([domain]);
  for (let end = domain.lastIndexOf('.'); end > 0 && domains.size < mostDomains; end = domain.lastIndexOf('.', end - 1))
    domains.add(domain.slice(0, end));
  return domains;
}

/** As people write it. */
const unicodeDomain = (domain: string): string =>
  domain.includes('xn--') ? domainToUnicode(domain) || domain : domain;
