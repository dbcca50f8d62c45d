// Redaction for logs: blanks fields that hold secrets or personal data, cuts texts, and reduces errors to what is safe.
import { SlotstreamError } from '#src/base/errors.ts';

const maxText = 500;
const maxDepth = 4;
const maxEntries = 50;
const redacted = '[redacted]';

// Matched against the key without punctuation, so that `api_token`, `apiToken` and `X-Api-Token` are equal.
const secretKey =
  /authorization|cookie|token|secret|signature|password|passwd|credential|apikey|signingkey|privatekey|^keys?$|dsn$/;
const personKey =
  /e?mail(s|address)?$|phone|^(first|last|full|user|display|invitee)?name$|^(body|payload|raw|parameters|answers?|guests?|attendees?|linkedin|company)$/;

function isPrivate(key: string): boolean {
  const plain = key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return secretKey.test(plain) || personKey.test(plain);
}

/** Cuts text, escapes control and direction characters, and blanks e-mail addresses and credentials. */
export function safeText(text: string): string {
  const cut = text.length > maxText ? `${text.slice(0, maxText)}… (${text.length} characters)` : text;
  return cut
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, showCharacter)
    .replaceAll(/:\/\/[^\s/@]*@/g, `://${redacted}@`)
    .replaceAll(/\b(bearer|basic)\s+[^\s"']+/gi, `$1 ${redacted}`)
    .replaceAll(/[^\s@<>"'(),:;/=[\]]{1,64}@[^\s@<>"'(),:;/]+/g, redacted);
}

function showCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function safeFields(fields: object): Record<string, unknown> {
  return safeObject(fields, 0);
}

function safeObject(fields: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields).slice(0, maxEntries);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isPrivate(key) ? redacted : safeValue(value, depth + 1)]),
  );
}

function safeValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return safeText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return describeError(value);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= maxDepth) return '[nested]';
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((item) => safeValue(item, depth + 1));
  return safeObject(value, depth);
}

export interface DescribedError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly hint?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly at?: readonly string[];
  readonly cause?: DescribedError;
}

/** Returns type, code and a safe message. Never `detail`, `where`, `parameters`, `command` or other fields: they contain values. */
export function describeError(error: Error, depth = 0): DescribedError {
  const own = error instanceof SlotstreamError;
  const code = textField(error, 'code');
  const table = textField(error, 'table');
  const constraint = textField(error, 'constraint');
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: own ? safeText(error.message) : safeText(withoutQuotedValues(error.message, code)),
    ...(own && error.hint !== undefined ? { hint: safeText(error.hint) } : {}),
    ...(table === undefined ? {} : { table }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(own ? {} : { at: framesOf(error) }),
    ...(error.cause instanceof Error && depth < 3 ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
}

// Engines and parsers quote what they were given (`invalid input syntax for type json: "…"`). SQLSTATE class 42 quotes
// names of tables and columns instead, which are needed to find the bug.
function withoutQuotedValues(message: string, code: string | undefined): string {
  const [firstLine = ''] = message.split('\n', 1);
  if (code !== undefined && /^42[0-9A-Z]{3}$/.test(code)) return firstLine;
  return firstLine.slice(0, 4 * maxText).replace(/".*("|$)/, '"…"');
}

function textField(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? safeText(value) : undefined;
}

function framesOf(error: Error): readonly string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line.startsWith('at '))
    .slice(0, 6)
    .map(safeText);
}
