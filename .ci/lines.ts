// Prints the lines of product, core (the product without sandbox and add-ons), tests and bench: `npm run lines`.
import { globSync, readFileSync } from 'node:fs';

const isPart: Readonly<Record<string, (path: string) => boolean>> = {
  product: (path) => /^(src|workers|schemas|bin)\//.test(path),
  core: (path) => /^(src\/(?!sandbox\/|addons\/)|workers\/|schemas\/|bin\/)/.test(path),
  test: (path) => path.startsWith('test/'),
  bench: (path) => path.startsWith('bench/'),
};

const files = globSync('{src,workers,schemas,bin,test,bench}/**/*.{ts,js,css}').map((path) => ({
  path,
  lines: readFileSync(path, 'utf8').split('\n').length - 1,
}));
const counts = Object.entries(isPart).map(([part, belongs]) => {
  const lines = files.filter(({ path }) => belongs(path)).reduce((sum, file) => sum + file.lines, 0);
  return `${part} ${lines.toLocaleString('en')}`;
});
process.stdout.write(`Lines: ${counts.join(', ')}.\n`);
