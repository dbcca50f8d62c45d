// What a number is: what the model says of it, and how each door is asked for it.
import type { Model } from '../../oracle/bookings.ts';
import type { Doors, Rows } from './number-doors.ts';

export type Ask = (doors: Doors) => Promise<unknown>;

export interface AskedNumber {
  expected(model: Model): unknown;
  readonly doors: Readonly<Record<string, Ask>>;
}

export const sorted = (ids: readonly string[]): readonly string[] => ids.toSorted();
export const byKey = <Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** The same question to the rows of a view, of its exported file and of the tool of AI models; undefined where there is no such view. */
export const ofView = (name: string, read: (rows: Rows) => unknown): Readonly<Record<string, Ask>> => ({
  view: async ({ view }) => {
    const rows = await view(name);
    return rows && read(rows);
  },
  file: async ({ file }) => {
    const rows = await file(name);
    return rows && read(rows);
  },
  tool: async ({ tool }) => {
    const rows = await tool(JSON.stringify({ table: name }));
    return rows && read(rows);
  },
});
