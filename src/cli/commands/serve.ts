// `start`, `receive` and `work`: the verbs that run until they are stopped. They differ in the roles of the process.
import { slotstream } from '#src/base/command.ts';
import { once } from 'node:events';
import { z } from 'zod';
import { openApp } from '#src/app/app.ts';
import type { Roles } from '#src/app/roles.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Setting } from '#src/config/readers.ts';
import { environmentForOthers } from '#src/config/setting-names.ts';
import { settings } from '#src/config/variables.ts';
import { alignColumns } from '#src/cli/terminal.ts';
import { loadConfig, type Config } from '#src/config/load.ts';
import { neededSettings, requireSettings } from '#src/config/missing-settings.ts';
import { pollPeriodMs } from '#src/config/polling.ts';
import { isEmbedded } from '#src/queue/registry.ts';
import { connectForNow } from '#src/cli/connect.ts';
import { cloudflared, openTunnel } from '#src/cli/tunnel.ts';
import { defineVerb, flag, type ExitCode, type VerbContext } from '#src/cli/verb.ts';

/** What most installations set. */
const important = new Set(
  'API_TOKEN PUBLIC_URL SIGNING_KEYS DATABASE_URL QUEUE_URL DATA_DIR PORT ADMIN_PORT ALERT_SLACK_URL'.split(' '),
);

const notes = [
  'Settings, from the environment or the file .env in the working folder (docs/configuration.md lists all):',
  ...alignColumns(
    Object.entries<Setting>(settings)
      .filter(([name]) => important.has(name))
      .map(([name, { meaning }]) => [`  ${name}`, meaning.split(/[.;] |\.$/, 1)[0]?.replaceAll('`', '') ?? '']),
  ),
];

export const start = defineVerb({
  notes,
  examples: [
    'slotstream start',
    'slotstream start --tunnel',
    `slotstream start --tunnel='ngrok http $PORT --log stdout'`,
  ],
  arguments: {},
  options: {
    tunnel: {
      flags: '--tunnel [command]',
      help: `to try it on a laptop: run this tunnel (default: ${cloudflared}), register its address, copy what exists; Ctrl-C removes the subscriptions. The operator of the tunnel can read every delivery.`,
      reads: z.union([z.string(), z.literal(true).transform(() => cloudflared)]).optional(),
    },
    beside: { flags: '--beside', help: 'use a tunnel although the service delivers to another address', reads: flag },
  },
  async run(context, { tunnel, beside }) {
    const roles = { receives: true, works: true, makesKey: true };
    return tunnel === undefined ? serve(context, roles) : serveThrough(tunnel, context, { roles, isBeside: beside });
  },
});

export const receive = defineVerb({
  notes,
  arguments: {},
  options: {},
  async run(context) {
    requireSharedQueue(context, 'receive');
    return serve(context, { receives: true, works: false, makesKey: false });
  },
});

export const work = defineVerb({
  notes,
  arguments: {},
  options: {},
  async run(context) {
    requireSharedQueue(context, 'work');
    return serve(context, { receives: false, works: true, makesKey: false });
  },
});

/** Serves at the address of a tunnel, until a stop signal or the end of the tunnel. */
async function serveThrough(
  command: string,
  context: VerbContext,
  { roles, isBeside }: { readonly roles: Roles; readonly isBeside: boolean },
): Promise<ExitCode> {
  const { port } = context.config();
  requireSettings(context.config(), ['API_TOKEN']);
  const signal = context.stopping();
  const env = { ...environmentForOthers(context.env, context.inFile ?? []), PORT: String(port) };
  await using tunnel = await openTunnel({ command, env, signal });
  context.notify(`The tunnel leads from ${tunnel.url} to port ${port}. Its operator can read every delivery.`);
  const config = loadConfig({ ...context.env, PUBLIC_URL: tunnel.url });
  const own = { ...context, config: () => config, stopping: () => AbortSignal.any([signal, tunnel.ended]) };
  try {
    const exitCode = await serve(own, roles, (afterwards) => connectForNow(own, config, { isBeside, afterwards }));
    if (signal.aborted) return exitCode;
  } catch (error) {
    // What the end of the tunnel interrupts only says that it was stopped.
    if (signal.aborted || !tunnel.ended.aborted) throw error;
  }
  throw new SlotstreamError('refused', 'The tunnel has ended, so nothing arrives any more.', {
    hint: `Start again: ${slotstream} start --tunnel`,
  });
}

/** Runs the process until it receives a stop signal, then closes it without losing an accepted delivery. */
async function serve(
  context: VerbContext,
  roles: Roles,
  connect?: (afterwards: AsyncDisposableStack) => Promise<void>,
): Promise<ExitCode> {
  const stopping = context.stopping();
  const config = context.config();
  const log = context.log();
  // Runs when the worker has ended, which would create removed subscriptions again.
  await using afterwards = new AsyncDisposableStack();
  await using app = await openApp({ config, log }, roles);
  await using _watchdog = context.watchdog();
  if (app.port !== undefined && pollPeriodMs(config) === undefined)
    log.info(`webhooks are received at http://${config.host}:${app.port}/webhooks`);
  if (roles.works) log.info({ store: config.databaseUrl.split(':', 1)[0] }, 'working');
  log.info(`dashboard, API and metrics at ${app.adminUrl}`);
  // To a terminal only: log files are stored and shared.
  const showDashboard = (): void => {
    if (process.stderr.isTTY)
      context.notify(`Dashboard: ${app.loginLink()} (valid for a minute; a new one: ${slotstream} status --login)`);
  };
  showDashboard();
  await connect?.(afterwards);
  // To copy what exists takes longer than a link is valid.
  if (connect && !stopping.aborted) showDashboard();
  const next = roles.works && !connect ? nextStep(config, await app.isSetUp()) : undefined;
  if (next !== undefined) log.info(`next: ${next}`);
  const ending = AbortSignal.any([stopping, app.ended]);
  if (!ending.aborted) await once(ending, 'abort');
  app.ended.throwIfAborted();
  log.info('stopping: accepted deliveries are being finished');
  return 0;
}

/** What an operator does next, while the mirror is not set up yet. */
export function nextStep(config: Config, isSetUp: boolean): string | undefined {
  const missing = neededSettings(config);
  if (missing.length > 0)
    return `set ${missing.join(', ').replace(/, (?=[^,]*$)/, ' and ')} in .env and start again; or send a sample: ${slotstream} trigger invitee.created`;
  return isSetUp || pollPeriodMs(config) !== undefined
    ? undefined
    : `${slotstream} bootstrap, then ${slotstream} backfill`;
}

/** One process owns the embedded queue, so a receiver and a worker cannot share it. */
function requireSharedQueue(context: VerbContext, verb: string): void {
  if (!isEmbedded(context.config().queueUrl)) return;
  throw new SlotstreamError(
    'config',
    `\`${verb}\` needs a queue that several processes can share; the embedded queue belongs to one process.`,
    {
      hint: `Set QUEUE_URL to redis://… or postgres://…, or run ${slotstream} start, which receives and works in one process.`,
    },
  );
}
