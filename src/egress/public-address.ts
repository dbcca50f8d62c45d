// Decides which addresses may be called: those of the public internet. It checks the resolved address and every form that can embed
// another one. Pure.
import ipaddr from 'ipaddr.js';

export const isPublicAddress = (text: string): boolean => {
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv4 ? isPublicV4(address) : isPublicV6(address);
};

/** Checks a host without a lookup. A name that passes may still resolve to a private address. */
export function isPublicHost(host: string): boolean {
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  // RFC 6761: always this machine, whatever a resolver returns.
  return !/(^|\.)localhost\.?$/i.test(host);
}

/** The addresses that the library counts as unicast, without reserved blocks that its table lacks. */
function isPublicV4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !reservedV4.some((block) => address.match(block));
}

/** For IPv6 only the globally assigned block; everything else is reserved. */
function isPublicV6(address: ipaddr.IPv6): boolean {
  if (!address.match(globalV6) || reservedV6.some((block) => address.match(block))) {
    const embedded = embeddedV4(address);
    return embedded !== undefined && isPublicV4(embedded);
  }
  return address.range() === 'unicast';
}

/** The IPv4 address that a translator will connect to. Teredo and 6to4 are rejected entirely. */
function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (!address.match(mappedV6) && !address.match(nat64)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

const v4 = (text: string) => ipaddr.IPv4.parseCIDR(text);
const v6 = (text: string) => ipaddr.IPv6.parseCIDR(text);

// IANA's special-purpose registries: https://www.iana.org/assignments/iana-ipv4-special-registry (and ipv6).
const reservedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(v4);

const mappedV6 = v6('::ffff:0:0/96');
const nat64 = v6('64:ff9b::/96');
const globalV6 = v6('2000::/3');
const reservedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '3ffe::/16'].map(v6);
