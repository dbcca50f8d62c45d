// `npm run package`: writes what is installed to build/, and packs it. Node strips no types under node_modules, so it must be JavaScript;
// build/ is also what goes into the image.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };
import { writeBundle } from './bundle.ts';
import { copyPages } from './package-pages.ts';

rmSync('build', { recursive: true, force: true });
await writeBundle('build');
writeFileSync('build/sbom.cdx.json', bill());
// `--no-pack` is for the image, which has a few pages only.
if (process.argv.includes('--no-pack')) {
  for (const page of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(page, `build/${page}`);
} else {
  copyPages('.', 'build');
  execFileSync('npm', ['pack', './build'], { stdio: 'inherit' });
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
