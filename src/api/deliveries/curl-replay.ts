// Writes a delivery as shell commands that send it again, signed with a key that only the caller's shell has.
import { shellQuoted } from '#src/base/command.ts';
import type { SignatureScheme } from '#src/signing/signature.ts';

export interface ReplayScriptOptions {
  readonly scheme: SignatureScheme;
  /** The header of the signature in the `timestamped` scheme. */
  readonly header: string;
}

export interface StoredBody {
  readonly body: string;
  readonly encoding: string | null;
}

/** `printf` is built into the shell, so a body may have any length; an argument of curl has a limit. */
export function replayScript({ body, encoding }: StoredBody, { scheme, header }: ReplayScriptOptions): string {
  const isControlled = encoding === null && terminalControl.test(body);
  const text = isControlled ? Buffer.from(body).toString('base64') : body;
  const decoding = isControlled || encoding === 'base64' ? ' | base64 -d' : '';
  const { lines, headers } = scheme === 'timestamped' ? timestamped(header) : standard;
  return [
    `body() { printf %s ${shellQuoted(text)}${decoding}; }`,
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

/** A terminal acts on control characters that are pasted: ^C ends the quoted text, and a shell runs what follows. */
const terminalControl = /(?![\t\n])\p{Cc}/u;
