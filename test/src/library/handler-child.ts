// A process with a handler, for a test to kill: it writes the number of each entry to a file, and at the third never ends.
import { appendFileSync } from 'node:fs';
import { createMirror } from '#src/library/mirror.ts';

const { file, hangs, ...settings } = JSON.parse(process.argv[2] ?? '') as { file: string; hangs: boolean };
const mirror = await createMirror(settings);
let calls = 0;
await mirror.on('*', 'effects', async ({ entry }) => {
  appendFileSync(file, `${entry.seq}\n`);
  calls += 1;
  if (hangs && calls === 3) await new Promise(() => undefined);
});
process.stdout.write(`${mirror.port}\n`);
