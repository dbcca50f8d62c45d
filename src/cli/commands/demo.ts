// `demo`: runs the whole product with its embedded defaults against the sandbox, set up the way an operator sets it up.
import { slotstream } from '#src/base/command.ts';
import { rmSync } from 'node:fs';
import { instantOf, sleepUnlessAborted } from '#src/base/time.ts';
import { describeEvent } from '#schemas/describe-event.ts';
import { eventKinds } from '#schemas/events.ts';
import { demoFolder } from '#src/api/running-instance.ts';
import { openApp } from '#src/app/app.ts';
import { loadConfig, type Config } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { createLog } from '#src/observability/log.ts';
import { holdLock } from '#src/base/process-lock.ts';
import { openSandbox } from '#src/sandbox/sandbox.ts';
import type { Sandbox } from '#src/sandbox/sandbox.ts';
import type { Fact } from '#src/sandbox/world/service.ts';
import type { Store } from '#src/store/contract.ts';
import { isPortInUse, openListener } from '#src/receiver/listener.ts';
import { overviewOf } from '#src/store/status-counts.ts';
import { openStore } from '#src/store/open-store.ts';
import { connect } from '#src/cli/connect.ts';
import { sandboxForm } from '#src/cli/sandbox-form.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { defineVerb, wholeNumberFrom, type VerbContext } from '#src/cli/verb.ts';
import type { FoldNeeds } from '#workers/fold/pipeline/fold.ts';
import { ingestParsed } from '#workers/fold/pipeline/ingest.ts';
import { parseBatch } from '#workers/fold/pipeline/parse.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';

const tableEvery = 20;

const longestKind = Math.max(...Object.keys(eventKinds).map(({ length }) => length));

export const demo = defineVerb({
  examples: ['slotstream demo', 'slotstream demo --rate 50 --count 500'],
  arguments: {},
  options: {
    rate: {
      flags: '--rate <n>',
      help: 'live activities per second (default: 4)',
      reads: wholeNumberFrom(1).default(4),
    },
    count: {
      flags: '--count <n>',
      help: 'stop after about this many webhooks (default: until Ctrl-C)',
      reads: wholeNumberFrom(1).optional(),
    },
    seed: {
      flags: '--seed <n>',
      help: 'another seed creates other data (default: 1)',
      reads: wholeNumberFrom(0).default(1),
    },
    as: sandboxForm,
  },
  async run(context, { rate, count = Infinity, seed, as }) {
    const stopping = context.stopping();
    const log = createLog({ level: 'warn', pretty: process.stderr.isTTY });
    const enough = new AbortController();
    const history: PastDelivery[] = [];
    let emitted = 0;
    using _folder = emptyFolder(demoFolder(context.config().dataDir));
    await using sandbox = await openSandbox(
      { seed, as, eventTypes: true, rateLimits: false, ...demoWorld },
      {
        // Serialized at once: a later step of the history may change the same record.
        onSeeded: (fact) => void history.push({ at: fact.at, users: fact.users, event: fact.event, ...bodyOf(fact) }),
        report: (err) => log.error({ err }, 'the sandbox failed to answer'),
        onFact: (fact) => {
          if (!isVisibleTo(sandbox.handles.users.owner, fact)) return;
          emitted += 1;
          context.out(`${fact.at.slice(11, 19)}  ${fact.event.padEnd(longestKind)}  ${describeEvent(fact)}`);
          if (emitted >= count) enough.abort();
        },
      },
    );
    const config = await demoConfig(context, sandbox);
    context.notify('Starting: an embedded queue and a SQLite file, nothing to install …');
    const loginCommand = `${commandFor(config)} status --login`;
    await using app = await openApp({ config, log, loginCommand }, { receives: true, works: true, makesKey: true });
    await using store = await openStore(
      { report: (err) => log.warn({ err }, 'the store reports an error'), stated: config.stated },
      config.databaseUrl,
    );
    const path = config.databaseUrl.slice('sqlite:'.length);
    // Valid until it is used: people read first, and the data are invented.
    const login = app.loginLink(Infinity);
    context.notify(introduction(sandbox, { port: app.port, path, login, command: commandFor(config) }));
    // In the order of time, as a log that was written meanwhile: what is counted by the hour depends on it.
    const seen = history
      .filter((past) => isVisibleTo(sandbox.handles.users.owner, past))
      .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
    await ingestHistory({ store, screen: privacyScreen(store.settings) }, seen);
    context.notify(`The webhooks of the last two months are in the log: ${seen.length}.\n`);
    await connect(context, config);
    if (stopping.aborted) return 0;
    const before = (await overviewOf(store)).last_seq;
    context.notify('\nLive activity starts: people book, cancel and miss meetings. Ctrl-C stops it.\n');

    const ending = AbortSignal.any([stopping, enough.signal]);
    const living = sandbox.live(rate, ending);
    for (let shown = 0; shown < emitted || !ending.aborted;) {
      await sleepUnlessAborted(100, ending);
      if (emitted - shown < tableEvery && !ending.aborted) continue;
      if (ending.aborted) await living;
      shown = emitted;
      await sandbox.dispatcher.settled();
      await projected(store, before + shown);
      context.out(await tableOf(store));
    }
    context.notify(`The data stays until the next demo: ${commandFor(config)} status`);
    return 0;
  },
});

/** Two months of a team with a few bookings per day: enough for every page to show something, and seeded within a second. */
const demoWorld = { contacts: 250, bookings: 360, routed: 0.3 } as const;

interface PastDelivery extends Pick<Fact, 'at' | 'event' | 'users'> {
  readonly body: string;
}

const bodyOf = ({ event, at, payload }: Fact) => ({
  body: JSON.stringify({ event, created_at: at, created_by: null, payload }),
});

const historyBatch = 256;

/** As if this installation had run for two months: each webhook is in the log with the time at which it happened. */
async function ingestHistory(needs: FoldNeeds, history: readonly PastDelivery[]): Promise<void> {
  for (let from = 0; from < history.length; from += historyBatch) {
    const deliveries = history.slice(from, from + historyBatch).map(({ body, at }) => ({ body, receivedAt: at }));
    await ingestParsed(needs, parseBatch({ v: 1, deliveries }, instantOf(Date.now())));
  }
}

interface Introduction {
  readonly port: number | undefined;
  readonly path: string;
  /** With the DATA_DIR of the demo. */
  readonly command: string;
  readonly login: string;
}

/** The commands with a DATA_DIR read the store: they also work when the demo has ended. */
function introduction({ handles }: Sandbox, { port, path, command, login }: Introduction): string {
  const controls = `${handles.base_url}/_sandbox`;
  return `
The dashboard                      ${login}

The sandbox (a scheduling service) ${handles.base_url}
  its operations and controls      ${controls}/docs
  every webhook it sent            ${controls}/deliveries
Slotstream receives webhooks on    http://127.0.0.1:${port}/webhooks
  and writes tables to             ${path}

Try it yourself, in another terminal:
  curl -X POST ${controls}/routing_form_submissions
  ${command} status
  ${command} feed --limit 3                         (what happened, in order)
  ${command} why URI                                (any URI from the feed: the origin of each value)
  ${command} export contacts --out -                 (any table or view)
  sqlite3 ${path} "select name, status, no_show_at from invitees limit 10"
`;
}

const commandFor = ({ dataDir }: Config): string => `DATA_DIR=${dataDir} ${slotstream}`;

/** Recaps are sent to their own user only, and the demo uses the owner's token. */
const isVisibleTo = (user: string, { event, users }: Pick<Fact, 'event' | 'users'>): boolean =>
  !event.startsWith('meeting_recap.') || users.includes(user);

/** Every demo starts empty: its service is a new one, and a mirror belongs to one service. */
function emptyFolder(folder: string): Disposable {
  const busy = new SlotstreamError('busy', `Another demo is running in ${folder}.`, {
    hint: `Stop it first, or choose another folder: DATA_DIR=… ${slotstream} demo`,
  });
  const lock = holdLock(`${folder}.lock`, busy);
  rmSync(folder, { recursive: true, force: true });
  return lock;
}

/** The demo ignores the configuration for real use, and does not touch its data. */
async function demoConfig(context: VerbContext, { handles }: Sandbox): Promise<Config> {
  const { HOST: host = '127.0.0.1', PORT = '', ADMIN_PORT } = context.env;
  const { port: usual } = context.config();
  const port = PORT.trim() === '' ? await freePort(host, usual) : usual;
  return loadConfig({
    HOST: host,
    PORT: String(port),
    ADMIN_PORT,
    DATA_DIR: demoFolder(context.config().dataDir),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    API_BASE_URL: handles.base_url,
    API_TOKEN: handles.tokens.owner,
  });
}

/** The usual port, or any other when it is in use: the sandbox delivers to whichever it is. */
async function freePort(host: string, usual: number): Promise<number> {
  const open = (port: number) => openListener({ host, port });
  const listener = await open(usual).catch((error: unknown) => (isPortInUse(error) ? open(0) : Promise.reject(error)));
  await listener.close();
  return listener.port;
}

/** Waits for the worker for a limited time, so that the table includes the latest delivery. */
async function projected(store: Store, lastSeq: number): Promise<void> {
  for (let tries = 0; tries < 60 && (await overviewOf(store)).last_seq < lastSeq; tries += 1)
    await sleepUnlessAborted(50);
}

async function tableOf(store: Store): Promise<string> {
  const { rows, last_seq } = await overviewOf(store);
  const lines = Object.entries({ 'event_log (last seq)': last_seq, ...rows }).map(([table, count]) => [
    table,
    String(count),
  ]);
  return `\n${renderTable(['table', 'rows'], lines)}\n`;
}
