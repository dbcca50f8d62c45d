// `npm run package`: compiles to build/ and packs it. Node strips no types under node_modules, so what is installed must
// be JavaScript; build/ is also what goes into the image.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

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
writeFileSync('build/package.json', `${JSON.stringify(builtManifest(manifest), null, 2)}\n`);
for (const page of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(page, `build/${page}`);
// `--no-pack` stops here: the image needs build/ only.
if (!process.argv.includes('--no-pack')) run('npm', 'pack', './build');

function builtManifest({ name, version, description, license, engines, imports, ...needed }: Manifest): object {
  const { dependencies, optionalDependencies } = needed;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { slotstream: 'bin/slotstream.js' },
    // The specifiers keep their `.ts`; what they point at is compiled.
    imports: Object.fromEntries(Object.entries(imports).map(([from, to]) => [from, to.replace(/\.ts$/, '.js')])),
    dependencies,
    optionalDependencies,
  };
}
