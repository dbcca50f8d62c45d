// Where a call may go: beneath the configured base address. The token is a key to somebody's calendar, so nothing that the
// service says can make us send it anywhere else.
import { SlotstreamError } from '#src/base/errors.ts';

export interface Addresses {
  readonly origin: string;
  /** The address of a call; refuses what is not of the configured origin. */
  of(path: string, query?: Query): URL;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function addressesBeneath(baseUrl: string): Addresses {
  const base = URL.parse(baseUrl);
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '')
    throw new SlotstreamError('config', 'API_BASE_URL must be a web address without a user name or password in it.', {
      hint: 'Set it to the address of the scheduling service, such as https://api.example.com',
    });
  const root = base.origin + base.pathname.replace(/\/+$/, '');
  return {
    origin: base.origin,
    of(path, query = {}) {
      const url = path.startsWith('/') ? URL.parse(root + path) : URL.parse(path);
      if (url === null || url.origin !== base.origin || url.username !== '' || url.password !== '')
        throw foreign(url, base.origin);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value));
      return url;
    },
  };
}

function foreign(url: URL | null, origin: string): SlotstreamError {
  const named = url === null ? 'an address that cannot be read' : `an address of ${url.origin}`;
  return new SlotstreamError('refused', `The token is only ever sent to ${origin}; it was not sent to ${named}.`, {
    hint: 'When the service has moved, or calls itself by another name, set API_BASE_URL to that.',
  });
}
