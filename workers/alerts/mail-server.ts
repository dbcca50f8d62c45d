// Where mail goes, read from ALERT_SMTP_URL: `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS`. Pure.
import { SlotstreamError } from '#src/errors.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS where the server offers it. */
  readonly isSecure: boolean;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  readonly from: string;
}

// Narrower than RFC 5322: what stands in a header and an envelope has no room for surprises.
const mailAddress = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i;

export function readMailServer(url: string): MailServer {
  const { hostname, port, protocol, username, password, searchParams } = URL.parse(url) ?? complain('is no address');
  if (hostname === '') complain('names no host');
  const strange = [...searchParams.keys()].find((name) => name !== 'from');
  if (strange !== undefined) complain('knows ?from=ADDRESS and nothing else behind the ?');
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'smtps:';
  const user = decoded(username);
  const from = searchParams.get('from') ?? (mailAddress.test(user) ? user : `slotstream@${host}`);
  if (!mailAddress.test(from)) complain('needs a sender: add ?from=ADDRESS');
  return {
    host,
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    isSecure,
    login: user === '' ? undefined : { user, pass: decoded(password) },
    from,
  };
}

/** One address each: a comma or an angle bracket in one would make two. */
export function readRecipients(addresses: readonly string[]): readonly string[] {
  const wrong = addresses.findIndex((address) => !mailAddress.test(address));
  if (wrong >= 0)
    throw new SlotstreamError('config', `ALERT_EMAIL_TO: address ${wrong + 1} is no plain mail address`, {
      hint: 'Write them as ada@example.com,bob@example.com, without names.',
    });
  return addresses;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return complain('has a % in its user or password that is no escape: write it as %25');
  }
}

function complain(what: string): never {
  throw new SlotstreamError('config', `ALERT_SMTP_URL ${what}`, {
    hint: 'It looks like smtps://USER:PASSWORD@HOST:465?from=alerts@example.com',
  });
}
