// docs/examples/read-only-role.sql with what the role may not read, from `readable` of the declarations; a test checks that it is current.
import type { DeclaredTable } from '#src/store/schema/declaration.ts';
import { declaredTables } from '#src/store/schema/tables.ts';

const begin = '-- rights: made by `npm run tables`\n';
const end = '-- /rights\n';

export function withRights(script: string, declared: readonly DeclaredTable[] = Object.values(declaredTables)): string {
  const from = script.indexOf(begin);
  const to = script.indexOf(end);
  if (from < 0 || to < from) throw new Error('docs/examples/read-only-role.sql lacks the marks of its rights.');
  return script.slice(0, from) + begin + rightsOf(declared) + script.slice(to);
}

function rightsOf(declared: readonly DeclaredTable[]): string {
  const closed = declared.filter(({ readable }) => readable !== 'all').map(({ name }) => name);
  const partly = declared.filter(
    ({ readable, columns }) => readable === 'all' && Object.values(columns).some((column) => column.readable),
  );
  const lines = [
    `revoke select on ${closed.toSorted().join(', ')} from slotstream_reader;`,
    ...partly.flatMap(({ name, columns }) => {
      const open = Object.entries(columns).flatMap(([column, { readable }]) =>
        readable === undefined ? [column] : [],
      );
      return [
        `revoke select on ${name} from slotstream_reader;`,
        `grant select (${open.join(', ')})\n  on ${name} to slotstream_reader;`,
      ];
    }),
  ];
  return `${lines.join('\n')}\n`;
}
