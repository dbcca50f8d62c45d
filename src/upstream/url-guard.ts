// Resolves the URL of a call and rejects any origin but the configured one. The token gives access to calendars, so no response of
// the service can make the client send it anywhere else.
import { SlotstreamError } from '#src/base/errors.ts';

export interface UrlGuard {
  readonly origin: string;
  resolve(path: string, query?: Query): URL;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function guardUrls(baseUrl: string): UrlGuard {
  const base = URL.parse(baseUrl);
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '')
    throw new SlotstreamError('config', 'API_BASE_URL must be a web address without a user name or password.', {
      hint: 'Set it to the address of the scheduling service, such as https://api.example.com',
    });
  const root = base.origin + base.pathname.replace(/\/+$/, '');
  return {
    origin: base.origin,
    resolve(path, query = {}) {
      const url = path.startsWith('/') ? URL.parse(root + path) : URL.parse(path);
      if (url === null || url.origin !== base.origin || url.username !== '' || url.password !== '')
        throw foreignOrigin(url, base.origin);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value));
      return url;
    },
  };
}

/**
 * Where to request a record that the service names: by its URI, or, where that names another host, by its path at our own origin. The
 * service uses several hosts for one record.
 */
export function addressAt(origin: string, uri: string): string {
  const url = uri.startsWith('/') ? null : URL.parse(uri);
  return url === null || url.origin === origin ? uri : url.pathname;
}

function foreignOrigin(url: URL | null, origin: string): SlotstreamError {
  const named = url === null ? 'an invalid address' : `an address of ${url.origin}`;
  return new SlotstreamError('refused', `The token is sent only to ${origin}; it was not sent to ${named}.`, {
    hint: 'If the service has moved or uses another host name, set API_BASE_URL to it.',
  });
}
