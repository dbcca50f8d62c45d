// Finds addresses of every page of the dashboard, as a visitor does: by following links from the navigation.
import { sections } from '#src/addons/dashboard/page.ts';
import { pages } from '#src/addons/dashboard/pages.ts';

/**
 * Addresses of each page that a link leads to, and the paths of pages that no link leads to. `read` answers the markup of a page. At most
 * `perPage` addresses of one page are read.
 */
export async function findPages(read: (address: string) => Promise<string>, { perPage = 1 } = {}) {
  const found = new Map<string, Set<string>>();
  const next = [...Object.keys(sections), ...pages.map(({ path }) => path).filter((path) => !path.includes(':'))];
  for (let address = next.shift(); address !== undefined; address = next.shift()) {
    const path = pageOf(address);
    if (path === undefined) continue;
    const known = found.get(path) ?? new Set();
    if (known.has(address) || known.size >= perPage) continue;
    found.set(path, known.add(address));
    next.push(...linksIn(await read(address)));
  }
  const missing = pages.map(({ path }) => path).filter((path) => !found.has(path));
  return { addresses: [...found.values()].flatMap((addresses) => [...addresses]), missing };
}

/** The page at an address; one without parameters in its path goes first. */
function pageOf(address: string): string | undefined {
  const { pathname } = new URL(address, 'http://here');
  const matches = pages.filter(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname));
  return (matches.find(({ path }) => path === pathname) ?? matches[0])?.path;
}

/** Where its links and its forms lead. */
export const linksIn = (markup: string): readonly string[] =>
  [...markup.matchAll(/ (?:href|data-href|action)="(\/[^"#]*)/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
