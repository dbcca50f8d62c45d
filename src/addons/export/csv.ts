// CSV in UTF-8, guarded against formulas (`src/base/csv.ts`).
import { csvLines } from '#src/base/csv.ts';
import type { Format } from './format.ts';

export const csv: Format = {
  isText: true,
  async open(output, columns, { isRaw = false } = {}) {
    const lines = csvLines(columns, { isRaw });
    await output.write(Buffer.from(lines.header()));
    return {
      get guarded() {
        return lines.guarded;
      },
      write: (rows) => output.write(Buffer.from(rows.map((row) => lines.line(row)).join(''))),
      close: async () => {},
    };
  },
};
