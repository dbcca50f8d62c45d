// Parses the URL of a mail server: `smtps://USER:PASSWORD@HOST:PORT?from=ADDRESS`. Pure.

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly isSecure: boolean;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  readonly from: string;
}

// Narrower than RFC 5322, because it is used in a header and in the envelope. One address: no comma, no bracket.
const mailAddress = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i;

export const isMailAddress = (text: string): boolean => mailAddress.test(text);

/** Returns a text with the expected form when the URL is invalid. */
export function readMailServer(text: string): MailServer | string {
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return 'an address such as smtps://USER:PASSWORD@HOST:465?from=ADDRESS';
  if ([...url.searchParams.keys()].some((name) => name !== 'from'))
    return 'an address with only from=ADDRESS after its ?';
  const [user, pass] = [decoded(url.username), decoded(url.password)];
  if (user === undefined || pass === undefined) return 'an address whose user and password have every % written as %25';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'smtps:';
  const from = url.searchParams.get('from') ?? (isMailAddress(user) ? user : `slotstream@${host}`);
  if (!isMailAddress(from)) return 'an address with a sender: add ?from=ADDRESS';
  return {
    host,
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    isSecure,
    login: user === '' ? undefined : { user, pass },
    from,
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
