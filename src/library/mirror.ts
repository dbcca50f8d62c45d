// `slotstream`: the mirror in your own process. It owns neither the process nor its environment: no signal handlers, no variables, no port
// unless you ask for one.
import type { EventKind } from '#schemas/events.ts';
import { openApp } from '#src/app/app.ts';
import { canCallService } from '#src/app/background.ts';
import { copyData, copyExisting } from '#src/app/first-copy.ts';
import { register } from '#src/app/registration.ts';
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import { loadConfig } from '#src/config/load.ts';
import { consumerName } from '#src/feed/consumer.ts';
import { createLog } from '#src/observability/log.ts';
import type { FeedEntry as LogEntry } from '#src/feed/entry.ts';
import type { FeedEntry } from './client.ts';
import { environmentOf, type MirrorSettings } from './mirror-settings.ts';

/** An entry of the log, after its commit. */
export interface LoggedEvent {
  readonly entry: Omit<FeedEntry, 'done' | 'row'>;
  /** Table → the row that the entry is about, as it is now; null in place of a deleted row. Null when the entry changes no row. */
  readonly row: NonNullable<FeedEntry['row']> | null;
}

export interface MirrorOptions extends MirrorSettings {
  /**
   * Registers for webhooks before the promise resolves, as `bootstrap()` does; at every start, which changes nothing where all is as it
   * should be. For a mirror that listens itself: the service sends to `publicUrl` from then on. Default: false.
   */
  readonly register?: boolean;
}

/** A kind of entry: of a webhook, of what was read from the service (`invitee.read`), or the beginning of several (`invitee.*`). */
export type LogEvent =
  | EventKind
  | `attendance.${'confirmed' | 'withdrawn'}`
  | `${string}.${'read' | 'gone' | '*'}`
  | '*';

export interface RegistrationOptions {
  /** Deletes subscriptions of this mirror that are no longer needed. */
  readonly prune?: boolean;
  /** Registers with a new signing key; deliveries signed with the old one are still accepted. */
  readonly rotateKey?: boolean;
  /** Registers also where nothing answers at `publicUrl` from here; never where someone else answers. */
  readonly anyway?: boolean;
}

export interface Registration {
  /** False where something will not arrive: `notes` say what, and what to do. */
  readonly complete: boolean;
  readonly organization: string;
  /** Where the service sends to. */
  readonly callback: string;
  /** How many subscriptions were created, found, deleted, refused and so on. */
  readonly summary: Readonly<Record<string, number>>;
  readonly conclusion: string;
  readonly notes: readonly string[];
}

/** What the service has lists of; `scheduled_events` includes the invitees. */
export type ResourceName =
  | 'contacts'
  | 'custom_field_definitions'
  | 'event_types'
  | 'meeting_recaps'
  | 'organization_memberships'
  | 'routing_forms'
  | 'scheduled_events';

export interface BackfillOptions {
  /** Default: everything that the setting `events` requires. */
  readonly only?: readonly ResourceName[];
  /** Starts over instead of resuming. */
  readonly restart?: boolean;
}

export interface BackfillResult {
  /** False where it was stopped: the next one resumes. */
  readonly complete: boolean;
  readonly resources: readonly {
    readonly name: ResourceName;
    readonly state: string;
    readonly rows: number;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    readonly quarantined: number;
    readonly left_out: number;
    /** The first of what was left out, and how to fix it. */
    readonly missing: readonly string[];
  }[];
  readonly elapsed_ms: number;
}

export interface Mirror extends AsyncDisposable {
  /** Takes a delivery, at any path: 202 once it is safe, 401, 413 and so on otherwise. With `answers`, `/answers/…` is the page of a signed link. */
  receive(request: Request): Promise<Response>;
  /**
   * Calls your function for each entry of these kinds (`invitee.created`, `invitee.*`), after its commit: at least once, in the order of
   * the log for each subject, and again with growing delays until it does not fail. `name` is its offset in the database: where it stopped,
   * it continues. A new name begins at the end of the log: wait for the promise to miss nothing. Of many processes, one at a time calls it.
   */
  on(event: LogEvent | readonly LogEvent[], name: string, handler: (logged: LoggedEvent) => unknown): Promise<void>;
  /** Registers for the webhooks that the setting `events` requires, as `slotstream bootstrap` does. Rejects where nothing is registered. */
  bootstrap(options?: RegistrationOptions): Promise<Registration>;
  /** Copies what the service already has, as `slotstream backfill` does. */
  backfill(options?: BackfillOptions): Promise<BackfillResult>;
  /** As `slotstream status --json`. */
  status(): Promise<object>;
  /** Of the listener for webhooks; undefined where there is no `port`. */
  readonly port: number | undefined;
  /** The address of the dashboard and the API; undefined where there is no `adminPort`. */
  readonly adminUrl: string | undefined;
  readonly adminToken: string;
  /** Finishes what was accepted, and closes everything. */
  close(): Promise<void>;
}

/** Opens the mirror: it receives, works, and does everything that `slotstream start` does. */
export async function createMirror({ register: registers = false, ...settings }: MirrorOptions = {}): Promise<Mirror> {
  const config = loadConfig(environmentOf({ logLevel: 'warn', ...settings }));
  const log = createLog({ level: config.logLevel, pretty: false });
  const listens = { webhook: settings.port !== undefined, admin: settings.adminPort !== undefined };
  const app = await openApp({ config, log, listens }, { receives: true, works: true, makesKey: true });
  const running = new Set<Promise<unknown>>();
  const names = new Set<string>();
  const stopping = new AbortController();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    stopping.abort();
    return (closing ??= Promise.allSettled(running).then(() => app[Symbol.asyncDispose]()));
  };
  /** Closing waits for it. */
  const tracked = <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  const needs = { config, log: () => log, now: () => new Date(), signal: stopping.signal };
  const bootstrap = async (
    options: RegistrationOptions = {},
    more: { readonly isShort?: boolean } = {},
  ): Promise<Registration> => {
    const { report, isDesired, failure } = await register({ ...needs, ...more }, options);
    if (failure !== undefined) throw failure;
    const { organization, callback, summary, conclusion, notes } = report;
    return { complete: isDesired, organization, callback, summary, conclusion, notes };
  };
  const copy = async (options: BackfillOptions = {}): Promise<BackfillResult> => {
    const startedMs = Date.now();
    const report = await copyExisting({ ...needs, progress: silently }, options);
    if (report === undefined) throw new SlotstreamError('stopped', 'The mirror was closed before the backfill began.');
    return copyData(report, Date.now() - startedMs);
  };
  const registerAtStart = async (): Promise<void> => {
    try {
      // A service that is down must not keep the mirror from starting.
      const { complete, conclusion, notes } = await bootstrap({}, { isShort: true });
      if (!complete) log.warn({ notes }, conclusion);
    } catch (error) {
      // The service is down, but sends here: the mirror has to receive.
      if (!isTransient(error) || !(await app.isRegistered())) throw error;
      log.warn({ err: error }, 'the service cannot be asked; it sends to the subscriptions of before');
    }
  };
  // It has logged why.
  app.ended.addEventListener('abort', () => void close(), { once: true });
  try {
    if (registers) await registerAtStart();
    else if (config.publicUrl !== undefined && canCallService(config) && !(await app.isRegistered()))
      log.warn({ hint: 'createMirror({ …, register: true }), or mirror.bootstrap()' }, nothingRegistered);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async receive(request) {
      if (closing) return new Response(null, { status: 503, headers: { 'retry-after': '5' } });
      return tracked(app.receive(request));
    },
    on(event, name, handler) {
      const events = [event].flat();
      if (!consumerName.safeParse(name).success)
        throw new TypeError('a name of a handler has 1 to 64 letters, digits, dots, dashes or underscores');
      if (names.has(name))
        throw new TypeError(`there is a handler ${name}: each name is one offset, with one function`);
      if (closing) throw new TypeError('the mirror is closed');
      names.add(name);
      const handle = async (entry: LogEntry): Promise<void> => void (await handler(loggedEvent(entry)));
      // Without an offset it does not follow the log, and can be tried again.
      return app.follow({ name, events, handle }).catch((error: unknown) => {
        names.delete(name);
        throw error;
      });
    },
    bootstrap: (options) => tracked(bootstrap(options)),
    backfill: (options) => tracked(copy(options)),
    status: app.status,
    port: app.port,
    adminUrl: listens.admin ? app.adminUrl : undefined,
    adminToken: app.adminToken,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const nothingRegistered = 'no webhook subscription leads here, so nothing will arrive: register';

/** The result says all. */
const silently = { onProgress: () => {}, onNotice: () => {}, onOutcome: () => {} };

function loggedEvent({ text }: LogEntry): LoggedEvent {
  const { row = null, ...entry }: Omit<FeedEntry, 'done'> = JSON.parse(text);
  return { entry, row };
}
