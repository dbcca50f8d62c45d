// The checks of `doctor`, each by itself: one that fails never hides the others.
import { statfs } from 'node:fs/promises';
import { askRunning } from '#src/admin/address.ts';
import { openAdminToken } from '#src/admin/token.ts';
import { openStoreLoudly } from '#src/app.ts';
import type { Config } from '#src/config.ts';
import { codeOf, SlotstreamError } from '#src/errors.ts';
import { openKeyRing } from '#src/keys.ts';
import type { Log } from '#src/log.ts';
import { isEmbedded, openQueue } from '#src/queue/queues.ts';
import { overviewOf } from '#src/store/overview.ts';
import { doubtful, ill, well, type Finding } from './finding.ts';

interface Patient {
  readonly config: Config;
  readonly log: Log;
}

type Check = (patient: Patient) => Promise<readonly Finding[]>;

const checks: Readonly<Record<string, Check>> = {
  'signing key': checkKeys,
  process: checkProcess,
  queue: checkQueue,
  store: checkStore,
  disk: checkDisk,
};

export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    found.push(...(await check(patient).catch((error: unknown) => [failed(name, error)])));
  }
  return found;
}

function failed(name: string, error: unknown): Finding {
  if (error instanceof SlotstreamError) return ill(name, error.message, error.hint ?? 'See the log.');
  return ill(
    name,
    `cannot be checked (${codeOf(error)}).`,
    `Is the address right, and does it answer? LOG_LEVEL=debug tells more.`,
  );
}

async function checkKeys({ config }: Patient): Promise<Finding[]> {
  const { keys, allowUnsigned } = config.signing;
  if (allowUnsigned)
    return [
      ill(
        'signing key',
        'ALLOW_UNSIGNED accepts deliveries from anyone.',
        'Set SIGNING_KEYS and remove ALLOW_UNSIGNED.',
      ),
    ];
  const ring = openKeyRing({ keys, dataDir: config.dataDir, generate: false, allowUnsigned });
  if (ring.warnings.length > 0)
    return ring.warnings.map((text) =>
      doubtful('signing key', `${text}.`, 'Use 32 random bytes: openssl rand -base64 32'),
    );
  const count = ring.keysAt(Date.now()).length;
  return [well('signing key', `${count} ${count === 1 ? 'key verifies' : 'keys verify'}, from the ${ring.source}.`)];
}

async function checkProcess({ config }: Patient): Promise<Finding[]> {
  try {
    await askRunning(config.dataDir, { token: openAdminToken(config), path: '/api/status' });
    return [well('process', 'running, and its admin listener answers.')];
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'not_running') throw error;
    return [
      doubtful(
        'process',
        'none runs on this data folder.',
        'npx slotstream start (or look on the machine where it runs)',
      ),
    ];
  }
}

async function checkQueue({ config }: Patient): Promise<Finding[]> {
  if (isEmbedded(config.queueUrl))
    return [well('queue', 'embedded, in the data folder; its owner is the running process.')];
  const queue = await openQueue({ url: config.queueUrl, dataDir: config.dataDir, report: () => {} });
  try {
    await queue.ping();
    const problems = await queue.check();
    const { waiting, failed: givenUp } = await queue.depth();
    const told = problems.map(({ fatal, message, hint }) => (fatal ? ill : doubtful)('queue', message, hint));
    if (givenUp > 0)
      told.push(
        doubtful('queue', `${givenUp} batches were given up on.`, 'A running worker sweeps them: npx slotstream work'),
      );
    return told.length > 0 ? told : [well('queue', `${queue.engine} answers; ${waiting} batches wait.`)];
  } finally {
    await queue.close();
  }
}

async function checkStore({ config, log }: Patient): Promise<Finding[]> {
  await using store = await openStoreLoudly(config, log);
  await store.engine.ping();
  const { engine, last_seq, quarantined, unhandled } = await overviewOf(store);
  const found: Finding[] = [];
  if (quarantined > 0)
    found.push(
      ill(
        'quarantine',
        `${deliveries(quarantined)} could not be projected.`,
        'npx slotstream replay --quarantined --dry-run',
      ),
    );
  if (unhandled > 0)
    found.push(
      doubtful(
        'quarantine',
        `${deliveries(unhandled)} of kinds this version does not know.`,
        'Upgrade, then: npx slotstream replay --quarantined',
      ),
    );
  return [well('store', `${engine} answers; the log holds ${last_seq} places.`), ...found];
}

const deliveries = (count: number) => `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;

const scarceBytes = 512 * 1024 ** 2;

async function checkDisk({ config }: Patient): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(config.dataDir);
  const free = bavail * bsize;
  const shown = `${Math.round(free / 1024 ** 2)} MB free for ${config.dataDir}.`;
  return [
    free < scarceBytes ? ill('disk', shown, 'Make room, or move DATA_DIR to a larger disk.') : well('disk', shown),
  ];
}
