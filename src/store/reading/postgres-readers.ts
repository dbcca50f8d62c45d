// Connections to PostgreSQL that can only read, apart from those of the fold: few, with a limit to the time, the locks and the disk that a
// statement may take. Behind a pooler, which drops the settings of a session, each statement is a transaction that sets them itself.
import type { PostgresPool } from 'kysely';
import type pg from 'pg';
import { schemaIn } from '#src/base/database-schema.ts';
import { codeOf } from '#src/base/errors.ts';
import { cellTypes, QualifyingDialect } from '#src/store/engines/postgres.ts';
import { openConnections, sessionSettings, type PostgresConnections } from '#src/store/engines/postgres-connections.ts';
import { tooSlow, Turns, type TurnLimits } from './turns.ts';

interface PostgresReaderNeeds {
  /** Receives errors that concern no caller, such as an idle connection that broke. */
  readonly report: (error: unknown) => void;
  readonly limits: TurnLimits & { readonly statementMs: number | undefined };
  /** Is called before the first statement of each new connection, which fails where this does. */
  check?(client: pg.ClientBase): Promise<void>;
}

/** What not every role may set, or not every server has. */
const optionalSettings = {
  temp_file_limit: '1GB',
  // A statement whose client has gone ends, too.
  client_connection_check_interval: '2s',
} as const;

/** `isLocal`: for the statement or the transaction alone. */
const setting = ([name, value]: readonly [string, string], isLocal: boolean): string =>
  `select set_config('${name}', '${value}', ${isLocal})`;

/** For how long a server may be silent beyond the time of a statement, before the connection counts as lost. */
const silenceMs = 10_000;

export function postgresReaders(url: string, { report, limits, check }: PostgresReaderNeeds): QualifyingDialect {
  const { statementMs } = limits;
  let allowed: readonly (readonly [string, string])[] = [];
  const session = {
    name: 'slotstream-reader',
    most: limits.most,
    onlyReads: true,
    settings: {
      ...sessionSettings,
      default_transaction_read_only: 'on',
      statement_timeout: `${statementMs ?? 0}`,
      // Only who replaces a table or a view holds up what reads.
      lock_timeout: '2s',
      // A question takes one core of the server, and leaves the others to the fold.
      max_parallel_workers_per_gather: '0',
    },
    async prepare(client: pg.ClientBase, isPooled: boolean) {
      const tried: (readonly [string, string])[] = [];
      for (const each of Object.entries(optionalSettings)) {
        // For this statement alone: behind a pooler, the next client has the same session.
        const isAllowed = await client.query(setting(each, true)).then(
          () => true,
          () => false,
        );
        if (isAllowed) tried.push(each);
      }
      allowed = tried;
      if (!isPooled) for (const each of allowed) await client.query(setting(each, false));
      await check?.(client);
    },
  } as const;
  const connections = openConnections(url, { types: cellTypes }, { report, session });
  if (statementMs !== undefined) connections.limitSilence(statementMs + silenceMs);
  const begin = () =>
    ['begin read only', connections.applySettings, ...allowed.map((each) => setting(each, true))].join('; ');
  return new QualifyingDialect({ pool: inTurns({ connections, limits, begin }) }, schemaIn(url));
}

interface PoolNeeds extends Pick<PostgresReaderNeeds, 'limits'> {
  readonly connections: PostgresConnections;
  begin(): string;
}

/** Kysely has one object per connection, so each has one here too. */
function inTurns({ connections, limits, begin }: PoolNeeds): PostgresPool {
  const turns = new Turns(limits);
  const readers = new WeakMap<pg.PoolClient, pg.PoolClient>();
  const ends = new WeakMap<pg.PoolClient, () => void>();
  const busy = new Set<pg.PoolClient>();
  const failed = new WeakSet<pg.PoolClient>();
  return {
    options: connections.namingPool.options,
    async end() {
      turns.close();
      // Their statements end with them.
      for (const client of busy) connections.disconnect(client);
      await connections.end();
    },
    async connect() {
      const end = await turns.take();
      try {
        const client = await connections.connect();
        ends.set(client, end);
        busy.add(client);
        const reader = readers.get(client) ?? readerOf(client);
        readers.set(client, reader);
        return reader;
      } catch (error) {
        end();
        throw error;
      }
    },
  };

  function readerOf(client: pg.PoolClient): pg.PoolClient {
    const query = async (text: string, values: unknown[]): Promise<pg.QueryResult> => {
      try {
        return await (connections.isPooled()
          ? inTransaction(client, { text, values })
          : client.query({ text, values }));
      } catch (error) {
        failed.add(client);
        throw limits.statementMs !== undefined && codeOf(error) === canceled ? tooSlow(limits.statementMs) : error;
      }
    };
    const release = () => {
      busy.delete(client);
      // After a failure a new one is connected: the server may have ended this one.
      client.release(failed.has(client));
      ends.get(client)?.();
    };
    return Object.create(client, { query: { value: query }, release: { value: release } });
  }

  async function inTransaction(client: pg.PoolClient, statement: pg.QueryConfig): Promise<pg.QueryResult> {
    await client.query(begin());
    try {
      return await client.query(statement);
    } finally {
      await client.query('rollback');
    }
  }
}

/** The code of PostgreSQL for a statement whose time is up. */
const canceled = '57014';
