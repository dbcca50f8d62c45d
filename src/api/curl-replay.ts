// A delivery as shell commands that send it again, signed with a key that only the caller's shell knows.
import type { SignatureScheme } from '#src/signing/signature.ts';

export interface ResendOptions {
  readonly scheme: SignatureScheme;
  /** Where the `timestamped` scheme puts its signature. */
  readonly header: string;
}

export interface Resent {
  readonly body: string;
  readonly encoding: string | null;
}

/** `printf` is part of the shell, so a body of any length fits; an argument of curl has a limit. */
export function resendCommands({ body, encoding }: Resent, { scheme, header }: ResendOptions): string {
  const decoding = encoding === 'base64' ? ' | base64 -d' : '';
  const { lines, headers } = scheme === 'timestamped' ? timestamped(header) : standard;
  return [
    `body() { printf %s ${quoted(body)}${decoding}; }`,
    't=$(date +%s)',
    ...lines,
    [
      'body | curl --silent --show-error --request POST "$WEBHOOK_URL"',
      ...['content-type: application/json', ...headers].map((line) => `--header "${line}"`),
      '--data-binary @-',
    ].join(' \\\n  '),
  ].join('\n');
}

const timestamped = (header: string) => ({
  lines: [`mac=$({ printf %s. "$t"; body; } | openssl dgst -sha256 -hmac "$SIGNING_KEY" -r | cut -d' ' -f1)`],
  headers: [`${header}: t=$t,v1=$mac`],
});

const standard = {
  lines: [
    'case "$SIGNING_KEY" in whsec_*) key() { printf %s "${SIGNING_KEY#whsec_}" | base64 -d; };; *) key() { printf %s "$SIGNING_KEY"; };; esac',
    'id=msg_$t$$',
    `mac=$({ printf %s.%s. "$id" "$t"; body; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$(key | od -An -v -tx1 | tr -d ' \\n')" -binary | base64)`,
  ],
  headers: ['webhook-id: $id', 'webhook-timestamp: $t', 'webhook-signature: v1,$mac'],
};

/** Within single quotes a POSIX shell obeys nothing; the quote itself leaves and comes back. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
