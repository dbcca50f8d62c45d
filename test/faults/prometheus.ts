// A real Prometheus with the example rules.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from '../harness/children.ts';
import { freePort, until } from '../harness/ports.ts';

const rules = fileURLToPath(new URL('../../docs/examples/prometheus-rules.yml', import.meta.url));

interface Scraping {
  /** Host and port of each admin listener. */
  readonly targets: readonly string[];
  readonly token: string;
  readonly everySeconds: number;
}

/** Answers its address. */
export async function startPrometheus(
  resources: AsyncDisposableStack,
  { targets, token, everySeconds }: Scraping,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-prometheus-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'prometheus.yml');
  // JSON is YAML.
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: `${everySeconds}s`, evaluation_interval: `${everySeconds}s` },
      rule_files: [rules],
      scrape_configs: [
        { job_name: 'slotstream', authorization: { credentials: token }, static_configs: [{ targets }] },
      ],
    }),
  );
  const listen = `127.0.0.1:${await freePort()}`;
  const args = ['--config.file', config, '--storage.tsdb.path', join(folder, 'data'), '--web.listen-address', listen];
  const child = endWithThisProcess(spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] }));
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_000)));
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  resources.defer(() => void child.kill('SIGKILL'));
  await until(async () => {
    if (failure)
      throw new Error('Prometheus is not installed (Debian: apt-get install prometheus).', { cause: failure });
    if (child.exitCode !== null) throw new Error(`Prometheus ended at its start:\n${output}`);
    return fetch(`http://${listen}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }, 'Prometheus is ready');
  return `http://${listen}`;
}
