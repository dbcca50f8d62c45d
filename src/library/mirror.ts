// `slotstream`: the mirror in your own process. It owns neither the process nor its environment: no signal handlers, no variables, no port
// unless you ask for one.
import { openApp } from '#src/app/app.ts';
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

export interface Mirror extends AsyncDisposable {
  /** Takes a delivery, at any path: 202 once it is safe, 401, 413 and so on otherwise. With `answers`, `/answers/…` is the page of a signed link. */
  receive(request: Request): Promise<Response>;
  /**
   * Calls your function for each entry of these kinds (`invitee.created`, `invitee.*`), after its commit: at least once, in the order of
   * the log for each subject, and again with growing delays until it does not fail. `name` is its offset in the database: where it stopped,
   * it continues. A new name begins at the end of the log: wait for the promise to miss nothing. Of many processes, one at a time calls it.
   */
  on(event: string | readonly string[], name: string, handler: (logged: LoggedEvent) => unknown): Promise<void>;
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
export async function createMirror(settings: MirrorSettings = {}): Promise<Mirror> {
  const config = loadConfig(environmentOf({ logLevel: 'warn', ...settings }));
  const log = createLog({ level: config.logLevel, pretty: false });
  const listens = { webhook: settings.port !== undefined, admin: settings.adminPort !== undefined };
  const app = await openApp({ config, log, listens }, { receives: true, works: true, makesKey: true });
  const requests = new Set<Promise<Response>>();
  const names = new Set<string>();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= Promise.allSettled(requests).then(() => app[Symbol.asyncDispose]()));
  // It has logged why.
  app.ended.addEventListener('abort', () => void close(), { once: true });
  return {
    async receive(request) {
      if (closing) return new Response(null, { status: 503, headers: { 'retry-after': '5' } });
      const receiving = app.receive(request);
      requests.add(receiving);
      return receiving.finally(() => requests.delete(receiving));
    },
    on(event, name, handler) {
      const events = typeof event === 'string' ? [event] : event;
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
    status: app.status,
    port: app.port,
    adminUrl: listens.admin ? app.adminUrl : undefined,
    adminToken: app.adminToken,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function loggedEvent({ text }: LogEntry): LoggedEvent {
  const { row = null, ...entry }: Omit<FeedEntry, 'done'> = JSON.parse(text);
  return { entry, row };
}
