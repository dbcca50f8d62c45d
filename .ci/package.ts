// `npm run package`: writes what is installed to build/, and packs it. Node strips no types under node_modules, so it must be JavaScript;
// build/ is also what goes into the image.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeBundle } from './bundle.ts';
import { copyPages } from './package-pages.ts';
import { sbomOf } from './sbom.ts';

rmSync('build', { recursive: true, force: true });
await writeBundle('build');
writeFileSync('build/sbom.cdx.json', `${JSON.stringify(sbomOf('.'), null, 2)}\n`);
// `--no-pack` is for the image, which has a few pages only.
if (process.argv.includes('--no-pack')) {
  for (const page of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(page, `build/${page}`);
} else {
  copyPages('.', 'build');
  execFileSync('npm', ['pack', './build'], { stdio: 'inherit' });
}
