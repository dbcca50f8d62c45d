// What people read when a store cannot be opened.
import { schemaIn } from '#src/base/database-schema.ts';
import { codeOf, describeConnectFailure, SlotstreamError } from '#src/base/errors.ts';
import { readPostgresUrl } from '#src/base/postgres-url.ts';

/** Of the engine's message only what PgBouncer answers is used: others may quote anything. Names come from the URL, never its password. */
export function notOpened(cause: unknown, url: string): SlotstreamError {
  const [first = ''] = readPostgresUrl(url).urls;
  const { username = '', pathname = '', hostname = '' } = URL.parse(first) ?? {};
  const user = username === '' ? 'this user' : `the user "${username}"`;
  const database = pathname.slice(1) || username;
  const code = codeOf(cause);
  const rejected = [
    `PostgreSQL does not let ${user} in: it is not known, or its password is wrong (${code}).`,
    'Correct the user and the password in DATABASE_URL, or create the user.',
  ] as const;
  const unknownHost = [
    `The host of DATABASE_URL, ${hostname}, is not known (${code}).`,
    'Correct the host in DATABASE_URL. In a container, the database must be on the same network.',
  ] as const;
  const known: Readonly<Record<string, readonly [message: string, hint: string]>> = {
    '3D000': [
      `PostgreSQL has no database called "${database}" (${code}).`,
      `Create it (createdb ${database}), or correct the name at the end of DATABASE_URL.`,
    ],
    28000: rejected,
    '28P01': rejected,
    ENOTFOUND: unknownHost,
    EAI_AGAIN: unknownHost,
    ECONNREFUSED: [
      `PostgreSQL does not answer: connection refused (${describeConnectFailure(cause)}).`,
      'Start PostgreSQL, or correct the host and the port in DATABASE_URL.',
    ],
    42501: [
      `PostgreSQL does not let ${user} use what is in the schema ${schemaIn(url)} (${code}).`,
      'Name in DATABASE_URL the user who made the mirror, or make this user the owner of the schema and its tables.',
    ],
    53300: [
      `PostgreSQL has no free connection: max_connections, or the limit of the user or the database, is reached (${code}).`,
      'Run fewer processes, give each a smaller pool (?pool=4 in DATABASE_URL), put PgBouncer in between, or raise the limit.',
    ],
    '08P01': refusedByPooler(cause),
  };
  const isSilent = cause instanceof Error && /timeout exceeded|was silent|connection timeout/i.test(cause.message);
  const [message, hint] = (isSilent ? silent : known[code]) ?? [
    `The store cannot be opened (${describeConnectFailure(cause)}).`,
    'Check DATABASE_URL, and that the database runs, exists and lets this user in.',
  ];
  return new SlotstreamError('store_unavailable', message, { hint, cause });
}

/** The code of PgBouncer for whatever it refuses; its text has names of its configuration. */
function refusedByPooler(cause: unknown): readonly [message: string, hint: string] {
  const answer = (cause instanceof Error ? cause.message : '')
    .split('\n', 1)
    .join('')
    .replaceAll(/[^ -~]/g, '')
    .slice(0, 120);
  const [, hint] = poolerHints.find(([form]) => form.test(answer)) ?? [undefined, 'See the log of PgBouncer.'];
  return [
    `DATABASE_URL seems to lead to PgBouncer, which refuses the connection: ${answer} (08P01).`,
    `${hint} Or connect to PostgreSQL directly.`,
  ];
}

const poolerHints = [
  // It rejects parameters that it does not know, unless it is configured to ignore them.
  [/startup parameter/i, 'Set `ignore_startup_parameters = options` in PgBouncer.'],
  [/statement pooling/i, 'Set `pool_mode = transaction` in PgBouncer.'],
  [
    /no such database|config error/i,
    'Add the database to [databases] of PgBouncer, or correct the name at the end of DATABASE_URL.',
  ],
  [
    /auth|password|no such user|login/i,
    'Correct the user and the password in DATABASE_URL, or auth_type and auth_file of PgBouncer.',
  ],
  [/no more connections|max_client_conn/i, 'Raise max_client_conn of PgBouncer, or run fewer processes.'],
] as const;

const silent = [
  'PostgreSQL accepts connections and does not answer.',
  'Look at its log and its load; restart it if it hangs.',
] as const;
