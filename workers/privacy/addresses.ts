// Finds e-mail addresses in any text, and computes the keyed hash by which an erased address is recognized.
import { createHmac } from 'node:crypto';

/** Whether the text is one address and nothing else. */
export const isAddress = (text: string): boolean => /^[^\s@]{1,64}@[^\s@]{1,253}$/.test(text.trim());

/** Normalizes the Unicode form and the case, so that all spellings of one address are equal. */
export const normalAddress = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** Keyed, so that a reader of the log cannot test which addresses were erased. */
export function addressHash(key: string, address: string): string {
  return createHmac('sha256', key).update(normalAddress(address)).digest('hex');
}

/**
 * A fast 16-bit hash of an address: most addresses differ in it and need no HMAC. It is too short to identify a person, and it
 * depends on the key.
 */
export function sieveOf(key: string): (address: string) => number {
  const seed = createHmac('sha256', key).update('sieve').digest().readInt32LE();
  return (address) => {
    const text = normalAddress(address);
    let bits = seed;
    for (let index = 0; index < text.length; index += 1) bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
    bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
    return ((bits ^ (bits >>> 12)) >>> 8) & 0xffff;
  };
}

const localPartCharacters = "\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~.-";
const outsideLocalPart = new RegExp(`[^${localPartCharacters}]`, 'u');
const isLocalPartAscii = Array.from({ length: 128 }, (_, code) => !outsideLocalPart.test(String.fromCharCode(code)));
const domainPattern = /[\p{L}\p{M}\p{N}.-]+/uy;
// Allowed in an address but rare there; far more often they separate it from what precedes it, as in `?email=`.
const separators = /[!#$%&'*/=?^`{|}~]/g;
const mostLocalParts = 8;
const mostDomains = 4;
/** A URL within a URL within a URL. */
const mostEscapeLevels = 3;

/**
 * Every candidate for an address in a text, normalized; also where a URL escapes it as `%40`, or as `%2540` because that URL is
 * part of another one.
 */
export function* addressesIn(text: string): Generator<string> {
  const runs = new Set<string>();
  let current = text;
  for (let round = 0; round <= mostEscapeLevels; round += 1) {
    for (const { name, domain } of runsIn(current, runs))
      for (const local of namesIn(name)) for (const host of domainsIn(domain)) yield `${local}@${host}`;
    const plainer = unescaped(current);
    if (plainer === current) return;
    current = plainer;
  }
}

interface AddressRun {
  readonly name: string;
  readonly domain: string;
}

/** The characters around each `@`, without repetitions. Takes linear time for any text. */
function* runsIn(given: string, seen: Set<string>): Generator<AddressRun> {
  if (!given.includes('@')) return;
  const text = normalAddress(given);
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    // No domain contains an `@`, so these steps together are linear in the text.
    domainPattern.lastIndex = at + 1;
    const domain = domainPattern
      .exec(text)?.[0]
      .slice(0, 254)
      .replace(/[.-]+$/, '');
    const name = domain ? nameBefore(text, at) : '';
    const run = `${name}@${domain}`;
    if (!domain || name === '' || seen.has(run)) continue;
    seen.add(run);
    yield { name, domain };
  }
}

function nameBefore(text: string, at: number): string {
  const first = Math.max(0, at - 64);
  let from = at;
  while (from > first && isLocalPartAscii[text.charCodeAt(from - 1)]) from -= 1;
  const isAscii = from === first || text.charCodeAt(from - 1) < 128;
  return isAscii ? text.slice(from, at) : (text.slice(first, at).split(outsideLocalPart).at(-1) ?? '');
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
  const domains = new Set([run]);
  for (let end = run.lastIndexOf('.'); end > 0 && domains.size < mostDomains; end = run.lastIndexOf('.', end - 1))
    domains.add(run.slice(0, end));
  return domains;
}

const escapes = /(?:%[0-9a-f]{2})+/gi;

/** Removes one level of percent-escapes. */
function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(escapes, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      // Not UTF-8: only the ASCII characters are decoded.
      return escaped.replaceAll(/%[2-7][0-9a-f]/gi, (one) => decodeURIComponent(one));
    }
  });
}
