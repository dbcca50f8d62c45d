// The licences of the packages whose code is in the bundle: most of them ask that their text goes with every copy.
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly license?: string; readonly dev?: boolean }>
  >;
}

/** For the modules (absolute paths) of a bundle of the project in `root`. */
export function thirdPartyNotices(root: string, modules: readonly string[]): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const folders = new Set(modules.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const notices = [...folders].toSorted().map((folder) => {
    const path = relative(root, folder);
    const locked = lock.packages[path];
    // It would be in the package, and neither in its list of dependencies nor in its SBOM.
    if (locked === undefined || locked.dev) throw new Error(`${path} is bundled, but is no dependency of the product.`);
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return `## ${name} ${locked.version}\n\n${licenceOf(folder)}\n`;
  });
  return `# Third-party licences\n\nThe files in \`lib\` contain code of these packages.\n\n${notices.join('\n')}`;
}

function licenceOf(folder: string): string {
  const [file] = globSync('{licen[cs]e,LICEN[CS]E}*', { cwd: folder });
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim();
  const section = /^#+ licen[cs]e\s+(.*)/ims.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1];
  if (section === undefined) throw new Error(`${folder} has no text of its licence.`);
  return section.trim();
}
