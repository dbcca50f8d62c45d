// NDJSON: one JSON object per line. JSON columns become values, not text.
import type { Cell, Column, Format } from './format.ts';

export const ndjson: Format = {
  isText: true,
  async open(output, columns) {
    const names = columns.map(({ name }) => `${JSON.stringify(name)}:`);
    return {
      async write(rows) {
        const lines = rows.map((row) => {
          const members = columns.map((column, index) => names[index] + valueOf(column, row[index] ?? null));
          return `{${members.join(',')}}\n`;
        });
        await output.write(Buffer.from(lines.join('')));
      },
      close: async () => {},
    };
  },
};

function valueOf({ kind }: Column, cell: Cell): string {
  // Copied unchanged; a raw line break in JSON can only occur between tokens.
  if (kind === 'json' && typeof cell === 'string') return cell.replaceAll(/[\r\n]/g, ' ');
  return JSON.stringify(cell);
}
