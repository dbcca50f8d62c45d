// A process with a handler, for a test to kill: it writes the number of each entry to a file, and at the third never ends.
import { appendFileSync } from 'node:fs';
import { createMirror } from '#src/library/mirror.ts';

const mirror = await createMirror(JSON.parse(process.env['SETTINGS'] ?? '') as Parameters<typeof createMirror>[0]);
let calls = 0;
await mirror.on('*', 'effects', async ({ entry }) => {
  appendFileSync(process.env['EFFECTS'] ?? '', `${entry.seq}\n`);
  calls += 1;
  if (calls === 3) await new Promise(() => undefined);
});
process.stdout.write(`${mirror.port}\n`);
