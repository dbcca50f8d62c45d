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

const before = /[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u;
const after = /^[\p{L}\p{M}\p{N}.-]+/u;
// Allowed in an address and hardly ever there; far more often they stand between it and what comes before, as in `?email=`.
const borders = /[!#$%&'*/=?^`{|}~]/g;
const mostNames = 8;
const mostDomains = 4;

/** Everything in a text that may be meant as an address, normalised; also where a URL spells it with `%40`. */
export function* addressesIn(text: string): Generator<string> {
  if (text.includes('@')) yield* plainIn(normalAddress(text));
  if (/%40/.test(text)) yield* plainIn(normalAddress(unescaped(text)));
}

function* plainIn(text: string): Generator<string> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const name = before.exec(text.slice(Math.max(0, at - 64), at))?.[0];
    const domain = after.exec(text.slice(at + 1, at + 255))?.[0]?.replace(/[.-]+$/, '');
    if (!name || !domain) continue;
    for (const local of namesIn(name)) for (const host of domainsIn(domain)) yield `${local}@${host}`;
  }
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

function unescaped(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped.replaceAll('%40', '@');
    }
  });
}
