// The script of a reading process that loads what answers requests for longer than a question may take.
import { setTimeout as wait } from 'node:timers/promises';
import { serveReads } from '#src/store/reading/sqlite-reader.ts';

serveReads(async () => {
  await wait(1_500);
  return async () => ({ status: 200, headers: {}, body: new Uint8Array(), failures: [] });
});
