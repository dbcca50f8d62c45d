// Installs the two sync engines into a folder outside the repository, in exact versions, once per machine.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const peers = {
  supabase: { package: '@supabase/stripe-sync-engine', version: '0.48.5', besides: ['stripe@23.1.0'] },
  stripe: { package: '@stripe/sync-engine', version: '1.0.32', besides: ['stripe@17.7.0'] },
} as const;

export type PeerName = keyof typeof peers;

/** Answers the folder that has the engine in its `node_modules`. */
export function installPeer(name: PeerName): string {
  const { package: engine, version, besides } = peers[name];
  const folder = join(tmpdir(), `slotstream-bench-peers-${name}-${version}`);
  if (installedVersion(folder, engine) === version) return folder;
  process.stderr.write(`peers: installing ${engine} ${version} into ${folder} …\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  // No scripts of theirs run here; none is needed for what is measured.
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${engine}@${version}`, ...besides];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

export function installedVersion(folder: string, name: string): string | undefined {
  const file = join(folder, 'node_modules', name, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : undefined;
}
