// `npm run package`: compiles to build/ and packs it. Node strips no types under node_modules, so what is installed must
// be JavaScript; build/ is also what goes into the image.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyPages } from './package-pages.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: unknown;
  readonly imports: Readonly<Record<string, string>>;
  readonly dependencies: unknown;
  readonly optionalDependencies: unknown;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const run = (command: string, ...args: readonly string[]): void => {
  execFileSync(command, args, { stdio: 'inherit' });
};

rmSync('build', { recursive: true, force: true });
run('tsc', '-p', '.ci/tsconfig.build.json');
cpSync('bin', 'build/bin', { recursive: true });
cpSync('src/dashboard/assets', 'build/src/dashboard/assets', { recursive: true });
writeFileSync('build/package.json', `${JSON.stringify(builtManifest(manifest), null, 2)}\n`);
writeFileSync('build/sbom.cdx.json', bill());
// `--no-pack` is for the image, which has a few pages only.
if (process.argv.includes('--no-pack')) {
  for (const page of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(page, `build/${page}`);
} else {
  copyPages('.', 'build');
  run('npm', 'pack', './build');
}

/** What the installed package consists of, as CycloneDX. It comes from the lock file, so it needs no network. */
function bill(): string {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
  const made = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as {
    metadata: { component: { name: string } };
  };
  // npm takes the name of the folder.
  made.metadata.component.name = manifest.name;
  return `${JSON.stringify(made, null, 2)}\n`;
}

function builtManifest({ name, version, description, license, engines, imports, ...needed }: Manifest): object {
  const { dependencies, optionalDependencies } = needed;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { slotstream: 'bin/slotstream' },
    // The specifiers keep their `.ts`; what they point at is compiled.
    imports: Object.fromEntries(Object.entries(imports).map(([from, to]) => [from, to.replace(/\.ts$/, '.js')])),
    dependencies,
    optionalDependencies,
  };
}
