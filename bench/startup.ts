// How much CPU time a command needs before its work begins, from a checkout and as it is installed; the compile cache is filled.
import { spawnSync } from 'node:child_process';
import { median, type Measurement } from './measure.ts';
import { command, installProduct, runtimeFlags, temporaryFolder } from './processes.ts';

const rounds = 5;
const reportCpu = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  process.on('exit', () => writeSync(2, 'cpu ' + JSON.stringify(process.cpuUsage()) + '\\n'));
`)}`;

export const startup: Measurement = {
  name: 'startup',
  about:
    'CPU seconds of `slotstream --help` and of `slotstream status` where no process runs, from a checkout and installed',
  async run() {
    using installed = await installProduct();
    const status = cpuSeconds(command, 'status');
    const installedStatus = cpuSeconds(installed.command, 'status');
    return [
      { name: 'startup.help_cpu', value: cpuSeconds(command, '--help'), unit: 's', limit: ['<=', 0.7] },
      { name: 'startup.status_cpu', value: status, unit: 's', limit: ['<=', 0.7] },
      { name: 'startup.installed_help_cpu', value: cpuSeconds(installed.command, '--help'), unit: 's' },
      { name: 'startup.installed_status_cpu', value: installedStatus, unit: 's' },
      { name: 'startup.installed_status_ratio', value: installedStatus / status, limit: ['<=', 0.7] },
    ];
  },
};

function cpuSeconds(program: string, ...args: readonly string[]): number {
  using folder = temporaryFolder();
  const env = { PATH: process.env['PATH'], DATA_DIR: folder.path };
  const run = (): number => {
    const node = [...runtimeFlags(), '--import', reportCpu, program, ...args];
    const { stderr } = spawnSync(process.execPath, node, { cwd: folder.path, env, encoding: 'utf8' });
    const [, usage = '{}'] = /^cpu (.*)$/m.exec(stderr) ?? [];
    const { user = Number.NaN, system = Number.NaN } = JSON.parse(usage);
    return (user + system) / 1e6;
  };
  // The first run fills the compile cache.
  run();
  return median(Array.from({ length: rounds }, run));
}
