// When seeded contacts were made, changed and written to. No two share an instant, so either order of the list is one order.
import { dayMs, hourMs } from '#src/sandbox/clock.ts';
import type { ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import { fraction } from './row-permutation.ts';

export interface Times {
  /** In microseconds since 1970; rises with the row. */
  created(row: number): number;
  updated(row: number): number;
  /** Made in pieces, because a million of them take a while. */
  rowsByUpdate(): Generator<void, Uint32Array>;
  mailDates(row: number): Pick<ContactEntry, 'first_email_date' | 'last_email_date'>;
}

export interface TimesPlan {
  readonly seed: number;
  readonly size: number;
  /** When the world was opened, in milliseconds. */
  readonly nowMs: number;
}

/** A time is a multiple of this many microseconds (about a second) plus the row, and so leads back to it. */
export const mostRows = 2 ** 20;

/** Rows a piece: some ten milliseconds. */
const pieceRows = 2 ** 15;

export function createTimes({ seed, size, nowMs }: TimesPlan): Times {
  const share = (purpose: number, row: number): number => fraction(seed, purpose, row);
  const firstMs = nowMs - 680 * dayMs;
  const lastMs = nowMs - hourMs;
  const stamp = (ms: number, row: number): number => Math.floor((ms * 1000) / mostRows) * mostRows + row;
  const created = (row: number): number => stamp(firstMs + ((row + share(51, row)) / size) * (lastMs - firstMs), row);
  function updated(row: number): number {
    const made = created(row);
    if (share(52, row) < 0.4) return made;
    return stamp(made / 1000 + share(53, row) * (lastMs - made / 1000), row);
  }
  return {
    created,
    updated,
    *rowsByUpdate() {
      const times = new Float64Array(size);
      for (let row = 0; row < size; row += 1) {
        times[row] = updated(row);
        if (row % pieceRows === 0) yield;
      }
      // The rows come out of the sorted times themselves: sorting numbers without asking a function is ten times as fast.
      times.sort();
      yield;
      const rows = new Uint32Array(size);
      times.forEach((time, index) => void (rows[index] = time - Math.floor(time / mostRows) * mostRows));
      return rows;
    },
    mailDates(row) {
      if (share(54, row) < 0.3) return { first_email_date: null, last_email_date: null };
      const madeMs = created(row) / 1000;
      const first = madeMs + share(55, row) * (lastMs - madeMs);
      const last = first + share(56, row) * (lastMs - first);
      // Some times of a contact carry no fraction, some three digits.
      const digits = share(57, row) < 0.5 ? 19 : 23;
      const text = (ms: number): string => `${new Date(ms).toISOString().slice(0, digits)}Z`;
      return { first_email_date: text(first), last_email_date: text(last) };
    },
  };
}
