// The types of the package: src/library/api.d.ts is all of them in one file, and each import has a file that exports its own. Payloads and tables are
// written as plain interfaces, so that nothing else has to be installed for them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import manifest from '../package.json' with { type: 'json' };
import { payloadTypes } from './api-payloads.ts';
import { settingTypes } from './api-settings.ts';
import { tableTypes } from './api-tables.ts';

const root = join(import.meta.dirname, '..');

/** The imports that have code, by name: `webhooks`, `mirror`. */
export const libraryEntries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(manifest.exports).flatMap((target) => {
    const [, name] = typeof target === 'string' ? (/^\.\/src\/library\/(.+)\.ts$/.exec(target) ?? []) : [];
    return name === undefined ? [] : [[name, `src/library/${name}.ts`]];
  }),
);

const head = `// Everything that programs can import, made by \`npm run api\`: a change here is a change for its users (docs/typescript.md).\n`;

/** Beside the declarations in the sources. */
const written: Readonly<Record<string, () => string>> = {
  mirror: settingTypes,
  webhooks: payloadTypes,
  tables: tableTypes,
};

/** The declarations of each import. */
const parts = (): readonly (readonly [name: string, text: string])[] =>
  [...Object.keys(libraryEntries), 'tables'].map((name) => {
    const path = libraryEntries[name];
    return [name, [written[name]?.() ?? '', path === undefined ? '' : declarationsIn(path)].join('\n').trim()];
  });

/** src/library/api.d.ts as the sources say. */
export function apiDeclarations(): string {
  const sections = parts().map(
    ([name, text]) => `// slotstream${name === 'mirror' ? '' : `/${name}`}\n${text.replaceAll(/\n+/g, '\n')}\n`,
  );
  return [head, ...sections].join('\n');
}

/** The file of each import: it exports its own part of api.d.ts. */
export function entryDeclarations(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    parts().map(([name, text]) => {
      const exported = [...text.matchAll(/^export (declare (?:function|class|const)|interface|type) (\w+)/gm)];
      const names = exported.map(([, kind, id]) => (kind?.startsWith('declare') ? id : `type ${id}`));
      return [name, `export { ${names.join(', ')} } from './api.js';\n`];
    }),
  );
}

function declarationsIn(path: string): string {
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(join(root, path), 'utf8'), { sourcemap: false });
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
  return code.replaceAll(/^import [^;]*;\n|^export \{\};?\n/gm, '').replaceAll('\t', '  ');
}
