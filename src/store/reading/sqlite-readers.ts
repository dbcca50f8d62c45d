// Processes that read a SQLite file for this one, which never waits for their statements (`sqlite-reader.ts` is what runs in them). To
// Kysely they are the connections of a database; they also answer whole requests, so that this process neither decodes rows nor makes text
// of them.
//
//   none ──question──▶ busy ──answer──▶ idle ──question──▶ busy
//                       │                └──idle for a while──▶ none
//                       └──its time is up: killed; or it ended by itself──▶ none
import { fork, type ChildProcess } from 'node:child_process';
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Statement } from '#src/store/contract.ts';
import { tooSlow, Turns, type TurnLimits } from './turns.ts';

/** A request that is answered by reading rows alone. */
export interface ReadRequest {
  readonly url: string;
  /** The header. */
  readonly accept: string | null;
  /** Who asks: undefined for the process itself. */
  readonly who: string | undefined;
  /** Signs page tokens. */
  readonly secret: string;
}

export interface ReadResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Errors that are not the caller's. */
  readonly failures: readonly unknown[];
}

export type ReaderQuestion = { readonly statement: Statement } | { readonly request: ReadRequest };

export interface ReaderFailure {
  readonly name: string;
  readonly message: string;
  readonly code: string;
}

/** The process is ready, and computes from now on: only that counts as the time of a question. */
export type ReaderMessage = { readonly begins: true } | ReaderAnswer;

export type ReaderAnswer =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly response: Omit<ReadResponse, 'failures'> & { readonly failures: readonly ReaderFailure[] } }
  | { readonly failure: ReaderFailure };

export interface ReaderLimits extends TurnLimits {
  /** How long a statement or a request takes at most; undefined: as long as it needs. */
  readonly statementMs: number | undefined;
  /** After this time without a question a process ends. */
  readonly idleMs: number;
}

interface ReaderFile {
  readonly path: string;
  readonly script: URL;
}

/** A process of low priority loads its code for a long time where the machine is busy. */
const mostToBeginMs = 60_000;

/** An answer that needs more memory ends its process instead of the machine. */
const mostHeapMb = 512;

/** One process. Its owner asks it one thing at a time. */
class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #ended = Promise.withResolvers<void>();
  #asked: PromiseWithResolvers<ReaderAnswer> | undefined;
  #begins: (() => void) | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({ path, script }: ReaderFile, onEnd: (reader: ReaderProcess) => void) {
    const child = fork(script, [path, String(process.pid)], {
      serialization: 'advanced',
      // What it would print is not for a log: it has no form, and may quote what was asked.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [`--max-old-space-size=${mostHeapMb}`],
    });
    this.#child = child;
    const onExit = () => {
      clearTimeout(this.#idleTimer);
      onEnd(this);
      this.#asked?.reject(endedByItself());
      this.#ended.resolve();
    };
    child.once('exit', onExit);
    // It could not be started, or a message did not reach it.
    child.on('error', () => (child.pid === undefined ? onExit() : child.kill('SIGKILL')));
    child.on('message', (message: ReaderMessage) => {
      if ('begins' in message) this.#begins?.();
      else this.#asked?.resolve(message);
    });
  }

  async ask(question: ReaderQuestion, mostMs: number | undefined): Promise<ReaderAnswer> {
    clearTimeout(this.#idleTimer);
    const asked = (this.#asked = Promise.withResolvers<ReaderAnswer>());
    this.#keepsParent(true);
    const end = (error: Error) => {
      asked.reject(error);
      this.#child.kill('SIGKILL');
    };
    let timer = setTimeout(() => end(notStarted()), mostToBeginMs);
    this.#begins = () => {
      clearTimeout(timer);
      if (mostMs !== undefined) timer = setTimeout(() => end(tooSlow(mostMs)), mostMs);
    };
    try {
      this.#child.send(question);
      return await asked.promise;
    } finally {
      clearTimeout(timer);
      this.#begins = undefined;
      this.#asked = undefined;
      this.#keepsParent(false);
    }
  }

  afterIdle(ms: number, act: () => void): void {
    this.#idleTimer = setTimeout(act, ms).unref();
  }

  end(): Promise<void> {
    // Until it is gone: someone may wait for that.
    this.#child.ref();
    this.#child.kill('SIGKILL');
    return this.#ended.promise;
  }

  /** Only a question that waits for its answer keeps the process that asked it running. */
  #keepsParent(isBusy: boolean): void {
    const handles = [this.#child, this.#child.channel];
    for (const handle of handles)
      if (isBusy) handle?.ref();
      else handle?.unref();
  }
}

/** What SQLite threw, as it would have been thrown here. */
class ReaderError extends Error {
  readonly code: string;

  constructor({ name, message, code }: ReaderFailure) {
    super(message);
    this.name = name;
    this.code = code;
  }
}

class SqliteReaders implements Driver {
  readonly #file: ReaderFile;
  readonly #limits: ReaderLimits;
  readonly #turns: Turns;
  readonly #running = new Set<ReaderProcess>();
  readonly #idle: ReaderProcess[] = [];
  readonly #ends = new WeakMap<DatabaseConnection, () => void>();

  constructor(file: ReaderFile, limits: ReaderLimits) {
    this.#file = file;
    this.#limits = limits;
    this.#turns = new Turns(limits);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const end = await this.#turns.take();
    const connection: DatabaseConnection = {
      executeQuery: <Row>(query: CompiledQuery) => this.#run<Row>(query),
      streamQuery: () => {
        throw new TypeError('A reader answers whole pages.');
      },
    };
    this.#ends.set(connection, end);
    return connection;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#ends.get(connection)?.();
  }

  /** Takes a turn. */
  async respond(request: ReadRequest): Promise<ReadResponse> {
    const end = await this.#turns.take();
    try {
      const answer = await this.#answerTo({ request });
      if (!('response' in answer)) throw noAnswer();
      const { failures, ...response } = answer.response;
      return { ...response, failures: failures.map((failure) => new ReaderError(failure)) };
    } finally {
      end();
    }
  }

  async #run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const answer = await this.#answerTo({ statement: { sql, parameters } });
    if (!('rows' in answer)) throw noAnswer();
    const { columns, rows } = answer;
    const named = rows.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index]])));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller knows the columns of its statement
    return { rows: named as Row[] };
  }

  async #answerTo(question: ReaderQuestion): Promise<Exclude<ReaderAnswer, { failure: unknown }>> {
    const reader = this.#idle.pop() ?? this.#start();
    const answer = await this.#answerOf(reader, question);
    if ('failure' in answer) throw new ReaderError(answer.failure);
    return answer;
  }

  async #answerOf(reader: ReaderProcess, question: ReaderQuestion): Promise<ReaderAnswer> {
    try {
      const answer = await reader.ask(question, this.#limits.statementMs);
      this.#idle.push(reader);
      reader.afterIdle(this.#limits.idleMs, () => {
        this.#leaveOut(reader);
        void reader.end();
      });
      return answer;
    } catch (error) {
      // The next question gets a new process, and never one more than there may be.
      await reader.end();
      throw error;
    }
  }

  #start(): ReaderProcess {
    const reader = new ReaderProcess(this.#file, (ended) => {
      this.#running.delete(ended);
      this.#leaveOut(ended);
    });
    this.#running.add(reader);
    return reader;
  }

  /** It gets no more questions. */
  #leaveOut(reader: ReaderProcess): void {
    const at = this.#idle.indexOf(reader);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  async destroy(): Promise<void> {
    this.#turns.close();
    await Promise.all([...this.#running].map((reader) => reader.end()));
  }

  async beginTransaction(): Promise<void> {
    throw noTransactions();
  }

  async commitTransaction(): Promise<void> {
    throw noTransactions();
  }

  async rollbackTransaction(): Promise<void> {
    throw noTransactions();
  }
}

const noAnswer = (): Error => new TypeError('The reader answered something else.');

const noTransactions = (): Error => new TypeError('What only reads has no transactions.');

const notStarted = (): SlotstreamError =>
  new SlotstreamError('store_unavailable', 'The process that reads the database did not begin in time.', {
    hint: `Ask again. The machine may be busy: a start may take ${mostToBeginMs / 1_000} seconds.`,
  });

const endedByItself = (): SlotstreamError =>
  new SlotstreamError('store_unavailable', 'The process that read the database for this question has ended.', {
    hint: 'Ask again. If it ends each time, the answer may be too large: ask for fewer rows or columns.',
  });

/** To Kysely, SQLite has one connection, and its statements follow each other. */
class ReadersAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

interface SqliteReadersNeeds {
  readonly script: URL;
  readonly limits: ReaderLimits;
}

/** Nothing is started before the first statement. `destroy` of the database ends all of it. */
export function sqliteReaders(path: string, { script, limits }: SqliteReadersNeeds) {
  const readers = new SqliteReaders({ path, script }, limits);
  const dialect: Dialect = {
    createDriver: () => readers,
    createAdapter: () => new ReadersAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<never>) => new SqliteIntrospector(db),
  };
  return { dialect, respond: (request: ReadRequest) => readers.respond(request) };
}
