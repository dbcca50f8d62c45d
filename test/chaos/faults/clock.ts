// Gives a process a wrong clock, with libfaketime. Timers are not affected: the monotonic clock stays right, as it does when the
// clock of a machine is set.
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Part, Settings } from '../stack.ts';
import { requireFault } from './evidence.ts';

const library = (): string | undefined => globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1')[0];

export async function clockObstacle(): Promise<string | undefined> {
  return library() === undefined ? 'libfaketime is not installed (Debian: faketime)' : undefined;
}

const preload = (): Settings => ({
  LD_PRELOAD: library() ?? '',
  DONT_FAKE_MONOTONIC: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/** Settings of a process whose clock is ahead by so many seconds, or behind. */
export const clockAhead = (seconds: number): Settings => ({ ...preload(), FAKETIME: offset(seconds) });

/** Settings of processes whose clock follows a file, and a function that sets it. */
export async function clockByFile(file: string): Promise<{ settings: Settings; set(seconds: number): Promise<void> }> {
  const set = (seconds: number): Promise<void> => writeFile(file, `${offset(seconds)}\n`);
  await set(0);
  return { settings: { ...preload(), FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' }, set };
}

const offset = (seconds: number): string => `${seconds < 0 ? '' : '+'}${seconds}s`;

/** How far the clock of a process is ahead, in seconds, by the date of its HTTP answers. */
async function secondsAhead({ name, webhook, output }: Part): Promise<number> {
  const admin = output()
    .match(/(?<=dashboard, API and metrics at )[^"]+/g)
    ?.at(-1);
  const address = webhook === undefined ? admin : new URL('/readyz', webhook).href;
  if (address === undefined) throw new Error(`${name} has not printed its admin address`);
  const answer = await fetch(address);
  await answer.body?.cancel();
  return Math.round((Date.parse(answer.headers.get('date') ?? '') - Date.now()) / 1000);
}

/** Fails unless the clock is wrong by about so many seconds. */
export async function requireAhead(part: Part, seconds: number): Promise<void> {
  const seen = await secondsAhead(part);
  requireFault(Math.abs(seen - seconds) <= 3, `the clock of ${part.name} is ${seen} s ahead, not ${seconds} s`);
}
