// What an installation consists of, as CycloneDX. It comes from the lock file, so it needs no network.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devDependencies?: unknown }>>;
}

interface Sbom {
  readonly metadata: { readonly component: { name: string } };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

export function sbomOf(root: string): Sbom {
  const folder = mkdtempSync(join(tmpdir(), 'slotstream-sbom-'));
  try {
    // `--omit=dev` would leave out what a development dependency needs too, so npm reads a project that has none.
    const { devDependencies: _, ...manifest } = readJson(join(root, 'package.json')) as {
      devDependencies: unknown;
      name: string;
    };
    const lock = readJson(join(root, 'package-lock.json')) as Lock;
    const packages = Object.entries(lock.packages).flatMap(([path, { devDependencies: _own, ...entry }]) =>
      entry.dev ? [] : [[path, entry]],
    );
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }),
    );
    const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
    const made = JSON.parse(
      execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as Sbom;
    // npm takes the name of the folder.
    made.metadata.component.name = manifest.name;
    return made;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
