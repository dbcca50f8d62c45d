// What `npm run clients` found, and its chapter in docs/proof/conformance.md.

export interface ClientResults {
  readonly date: string;
  readonly node: string;
  readonly clients: readonly {
    readonly name: string;
    readonly version: string;
    /** From a file: built from its repository, because the registry of that run does not have it. */
    readonly source: 'registry' | 'file';
    /** Why it could not be installed. */
    readonly missing?: string;
    /** Operation → place → `worked`, or the reason why not. */
    readonly operations: Readonly<Record<string, Readonly<Record<string, string>>>>;
  }[];
}

export const places = ['sandbox, public', 'sandbox, specification', 'mirror'] as const;
export type Place = (typeof places)[number];

export function resultLines({ date, node, clients }: ClientResults): readonly string[] {
  return [
    '## Clients that others wrote',
    '',
    `Run on ${date} with Node ${node}, by \`npm run clients\`: it installs them from the npm registry with scripts off, and runs each in a process of its own,`,
    'in which `https://api.calendly.com` is the sandbox or a mirror. Their code is not changed. An operation worked when the client got only what the',
    'service has, and at least one record; on the mirror, when it also got the same as from the service. A dash is a write, which a mirror does not do.',
    'A mirror lists its own webhook subscriptions only: n8n looks for the one of another program, and does not find it there.',
    'The SDK of kashew expects dial-in numbers in every place of the type `zoom_conference`; the sandbox sends none.',
    '',
    'A client with a star was built from its repository, because the registry of that run does not have it (`npm run clients -- --from NAME=FILE.tgz`).',
    '',
    `| client | operation | ${places.join(' | ')} |`,
    `|---|---|${places.map(() => '---|').join('')}`,
    ...clients.flatMap(({ name, version, source, missing, operations }) =>
      missing === undefined
        ? Object.entries(operations).map(
            ([operation, found]) =>
              `| ${name} ${version}${source === 'file' ? ' \\*' : ''} | ${operation} | ${places.map((place) => cell(found[place] ?? '–')).join(' | ')} |`,
          )
        : [`| ${name} ${version} | – | not installed: ${cell(missing)} | | |`],
    ),
    '',
  ];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
