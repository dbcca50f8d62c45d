// The loads under which the sync engines and we are compared.
import { hash } from 'node:crypto';
import { startMs, type Change } from './events.ts';
import type { OurName } from './subjects.ts';

export const hotRows = 500;

export interface Mode {
  readonly name: 'hot' | 'lifelike' | 'insert' | 'large';
  readonly events: number;
  /** How many times the rate of the better engine ours must be, with separate processes and with a single one. */
  readonly limits: Readonly<Record<OurName, number>>;
  change(index: number): Change;
}

export const modes: readonly Mode[] = [
  {
    name: 'hot',
    // Updates, bodies of 1.2 kB.
    events: 10_000,
    limits: { ours: 2, single: 1.26 },
    change: (index) => hotChange('hot', index, 1_200),
  },
  {
    name: 'lifelike',
    // As `hot`, where dates and a custom field change every time, and name, address and title every fifth time.
    events: 10_000,
    limits: { ours: 2, single: 1.26 },
    change(index) {
      const edition = Math.floor(index / hotRows / 5);
      return { ...hotChange('lifelike', index, 1_200), name: `Person ${index % hotRows} ${edition}`, edition };
    },
  },
  {
    name: 'insert',
    // Contacts and bookings by turns, against customers.
    events: 6_000,
    limits: { ours: 1.5, single: 1 },
    change: (index) => ({
      kind: 'created',
      isBooking: index % 2 === 1,
      row: hash('sha1', `new ${index}`).slice(0, 24),
      name: `Person ${index}`,
      atMs: startMs + index,
      bytes: 1_500,
    }),
  },
  {
    name: 'large',
    events: 6_000,
    limits: { ours: 1.5, single: 1 },
    change: (index) => hotChange('large', index, 2_000 + ((index * 37) % 2_000)),
  },
];

/** The rows by turns. The engines tell two events of a row apart by the second, so each row gets one a second. */
export function hotChange(prefix: string, index: number, bytes: number): Change {
  const [turn, place] = [Math.floor(index / hotRows), index % hotRows];
  return {
    kind: turn === 0 ? 'created' : 'updated',
    row: hash('sha1', `${prefix} ${place}`).slice(0, 24),
    name: `Person ${place} turn ${turn}`,
    atMs: startMs + turn * 1_000 + place,
    bytes,
  };
}
