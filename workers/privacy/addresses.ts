// E-mail addresses in any text, and the keyed hash that an erased one is remembered by.
import { createHmac } from 'node:crypto';

/** One address and nothing else. */
export const isAddress = (text: string): boolean => /^[^\s@]{1,64}@[^\s@]{1,253}$/.test(text.trim());

/** Two ways to write one address are one address; which letters are capitals says nothing. */
export const normalAddress = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** Without the key nobody can try out who was erased. */
export function addressHash(key: string, address: string): string {
  return createHmac('sha256', key).update(normalAddress(address)).digest('hex');
}

/**
 * Sixteen bits of an address that are quickly had: what differs in them need not be hashed, and nearly everything does. They
 * are too few to tell anybody by, and depend on the key.
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

const nameSigns = "\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~.-";
const outsideName = new RegExp(`[^${nameSigns}]`, 'u');
const asciiSigns = Array.from({ length: 128 }, (_, code) => !outsideName.test(String.fromCharCode(code)));
const domainHere = /[\p{L}\p{M}\p{N}.-]+/uy;
// Allowed in an address and hardly ever there; far more often they stand between it and what comes before, as in `?email=`.
const borders = /[!#$%&'*/=?^`{|}~]/g;
const mostNames = 8;
const mostDomains = 4;
/** A link within a link within a link. */
const mostEscapes = 3;

/**
 * Everything in a text that may be meant as an address, normalised; also where a URL spells some of it with `%40`,
 * or with `%2540` because it stands in another one.
 */
export function* addressesIn(text: string): Generator<string> {
  const runs = new Set<string>();
  let spelled = text;
  for (let round = 0; round <= mostEscapes; round += 1) {
    for (const { name, domain } of runsIn(spelled, runs))
      for (const local of namesIn(name)) for (const host of domainsIn(domain)) yield `${local}@${host}`;
    const plainer = unescaped(spelled);
    if (plainer === spelled) return;
    spelled = plainer;
  }
}

interface Run {
  readonly name: string;
  readonly domain: string;
}

/** What stands around each `@`, where it was not seen before. In linear time, whatever the text is. */
function* runsIn(given: string, seen: Set<string>): Generator<Run> {
  if (!given.includes('@')) return;
  const text = normalAddress(given);
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    // No domain holds an `@`: all these steps together are no longer than the text.
    domainHere.lastIndex = at + 1;
    const domain = domainHere
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
  while (from > first && asciiSigns[text.charCodeAt(from - 1)]) from -= 1;
  const isAscii = from === first || text.charCodeAt(from - 1) < 128;
  return isAscii ? text.slice(from, at) : (text.slice(first, at).split(outsideName).at(-1) ?? '');
}

/** The whole, and what is left of it behind each sign that may not belong to it. */
function namesIn(run: string): Set<string> {
  const names = new Set([run]);
  const add = (name: string) => name !== '' && names.add(name);
  add(run.replace(/^[._-]+/, ''));
  for (const { index } of [...run.matchAll(borders)].slice(-mostNames)) add(run.slice(index + 1));
  return names;
}

/** A sentence that goes on without a space after its full stop looks like a longer domain. */
function domainsIn(run: string): Set<string> {
  const domains = new Set([run]);
  for (let end = run.lastIndexOf('.'); end > 0 && domains.size < mostDomains; end = run.lastIndexOf('.', end - 1))
    domains.add(run.slice(0, end));
  return domains;
}

const escapes = /(?:%[0-9a-f]{2})+/gi;

/** One level of percent-escapes less. */
function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(escapes, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      // No UTF-8; what is ASCII in it can be read all the same.
      return escaped.replaceAll(/%[2-7][0-9a-f]/gi, (one) => decodeURIComponent(one));
    }
  });
}
