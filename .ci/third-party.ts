// The licences of the packages whose code is in the bundle: most of them ask that their text goes with every copy.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
}

/** Copies of other packages that these have in their own files. */
const copiesIn: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/server': [
    'ajv',
    'ajv-formats',
    'content-type',
    'fast-deep-equal',
    'fast-uri',
    'json-schema-traverse',
  ],
  nodemailer: ['punycode'],
};

/** Packages without the text of their licence, and a package of the same repository that has it. */
const licencedWith: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-http': '@aws-sdk/client-s3',
  '@aws-sdk/credential-provider-login': '@aws-sdk/client-s3',
  '@aws-sdk/nested-clients': '@aws-sdk/client-s3',
};

/** For the modules (absolute paths) of a bundle of the project in `root`. */
export function thirdPartyNotices(root: string, modules: readonly string[]): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  // The folder of the packages may be a link to another place.
  const paths = new Set(
    modules.flatMap((path) => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const notices = [...paths].toSorted().map((path) => {
    const locked = lock.packages[path];
    // It would be in the package, and neither in its list of dependencies nor in its SBOM.
    if (locked === undefined || locked.dev) throw new Error(`${path} is bundled, but is no dependency of the product.`);
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const copies = (copiesIn[name] ?? []).map(
      (copy) => `### ${copy}, of which ${name} has a copy\n\n${licencesIn(folderOfCopy(root, copy))}\n`,
    );
    const folder = name in licencedWith ? join('node_modules', licencedWith[name] ?? '') : path;
    return [`## ${name} ${locked.version}\n\n${licencesIn(join(root, folder))}\n`, ...copies].join('\n');
  });
  return `# Third-party licences\n\nThe files in \`lib\` contain code of these packages.\n\n${notices.join('\n')}`;
}

/** A package that no other one needs is not installed: its licence is in `.ci/licences`. */
function folderOfCopy(root: string, name: string): string {
  const stored = join(root, '.ci/licences', name);
  return existsSync(stored) ? stored : join(root, 'node_modules', name);
}

/** Licences and notices of a package, also those of parts that it took from others. */
function licencesIn(folder: string): string {
  const files = globSync('**/{licen[cs]e,notice,LICEN[CS]E,NOTICE}{,.md,.txt,-MIT.txt}', {
    cwd: folder,
    exclude: ['node_modules'],
  });
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length > 0) return texts.join('\n\n');
  const section = /^#+ licen[cs]e\s+(.*)/ims.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1];
  if (section === undefined) throw new Error(`${folder} has no text of its licence.`);
  return section.trim();
}
