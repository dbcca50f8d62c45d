// A real Prometheus with the example rules.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from '../harness/children.ts';
import { freePort, until } from '../harness/ports.ts';

const rules = fileURLToPath(new URL('../../docs/examples/prometheus-rules.yml', import.meta.url));

/** `targets`: host and port of each admin listener. Answers its address. */
export async function startPrometheus(
  resources: AsyncDisposableStack,
  targets: readonly string[],
  credentials: string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-prometheus-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'prometheus.yml');
  // JSON is YAML.
  const text = JSON.stringify({
    global: { scrape_interval: '5s', evaluation_interval: '5s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'slotstream', authorization: { credentials }, static_configs: [{ targets }] }],
  });
  await writeFile(config, text);
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
    return (await fetch(`http://${listen}/-/ready`).catch(() => undefined))?.ok ?? false;
  }, 'Prometheus is ready');
  return `http://${listen}`;
}
