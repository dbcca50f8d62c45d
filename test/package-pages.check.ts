// What is installed with the package: the documentation and the list of settings that README.md and messages point to.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { copyPages } from '../.ci/package-pages.ts';
import project from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');

it('the package contains the documentation, its examples and .env.example, and no link between them is broken', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  try {
    copyPages(root, folder);
    const { name, version, files } = project;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, files }));
    const packed = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--offline'], { cwd: folder, encoding: 'utf8' }),
    ) as [{ files: { path: string }[] }];
    const paths = packed[0].files.map(({ path }) => path);
    const published = globSync('docs/**/*.*', { cwd: root });
    expect(published.length).toBeGreaterThan(15);
    expect(paths).toEqual(expect.arrayContaining([...published, '.env.example', 'README.md', 'LICENSE']));

    const pages = paths.filter((path) => path === 'README.md' || /^docs\/.+\.md$/.test(path));
    const broken = pages.flatMap((page) =>
      [...readFileSync(join(folder, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .map(([, link = '']) => join(dirname(page), link))
        // The sources are in the repository only.
        .filter((path) => !/^(src|workers|schemas|test|bench)\b/.test(path) && !existsSync(join(folder, path))),
    );
    expect(broken).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
