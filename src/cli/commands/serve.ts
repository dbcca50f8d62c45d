// What `start`, `receive` and `work` share: open the app, say where it is, run until told to stop, close without loss.
import { once } from 'node:events';
import { loginLink } from '#src/api/running-instance.ts';
import { openApp, type Roles } from '#src/app/app.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { isEmbedded } from '#src/queue/registry.ts';
import type { ExitCode, VerbContext } from '#src/cli/verb.ts';

export async function serve(context: VerbContext, roles: Roles): Promise<ExitCode> {
  const stopping = context.stopping();
  const config = context.config();
  const log = context.log();
  await using app = await openApp({ config, log }, roles);
  if (app.port !== undefined) log.info({ url: `http://${config.host}:${app.port}/webhooks` }, 'receiving');
  if (roles.works) log.info({ store: config.databaseUrl.split(':', 1)[0] }, 'working');
  log.info({ url: `http://${config.adminHost}:${app.adminPort}/api/status` }, 'admin');
  // For the person at the terminal alone: what is kept of a log must not let anybody in.
  if (process.stderr.isTTY) context.say(`Log in with a browser: ${loginLink(app.adminUrl, app.adminToken)}`);
  if (!stopping.aborted) await once(stopping, 'abort');
  log.info('stopping: what was accepted is being finished');
  return 0;
}

/** The embedded queue has one owner, so a receiver and a worker cannot share it between them. */
export function refuseEmbedded(context: VerbContext, verb: string): void {
  if (!isEmbedded(context.config().queueUrl)) return;
  throw new SlotstreamError(
    'config',
    `\`${verb}\` needs a queue that several processes can share; the embedded one has one owner.`,
    {
      hint: 'Set QUEUE_URL to redis://… or postgres://…, or run `slotstream start`, which receives and works in one process.',
    },
  );
}
