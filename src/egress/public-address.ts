// Which addresses a call may go to: those of the public internet. Asked of the resolved address, and of every form in which one can
// hide another. Pure.
import ipaddr from 'ipaddr.js';

export const isPublicAddress = (text: string): boolean => {
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv4') return isPublicV4(address as ipaddr.IPv4);
  return isPublicV6(address as ipaddr.IPv6);
};

/** Of a host as it is written: what needs no lookup to be refused. A name may still lead to a private address. */
export function isPublicHost(host: string): boolean {
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  // RFC 6761: always this machine, whatever a resolver says.
  return !/(^|\.)localhost\.?$/i.test(host);
}

/** What the library counts as ordinary, less what its table does not know. */
function isPublicV4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !reservedV4.some((block) => address.match(block));
}

/** Of IPv6 only what is given out to the internet; everything else is special, or will be. */
function isPublicV6(address: ipaddr.IPv6): boolean {
  if (!address.match(globalV6) || reservedV6.some((block) => address.match(block))) {
    const inside = hiddenIn(address);
    return inside !== undefined && isPublicV4(inside);
  }
  return address.range() === 'unicast';
}

/** The address that the network behind a translator will be asked for. Teredo and 6to4 are refused whole: nobody needs them. */
function hiddenIn(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
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
