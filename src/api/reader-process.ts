// The script of the processes that read a SQLite file for the one that serves the API.
import { serveReads } from '#src/store/reading/sqlite-reader.ts';

serveReads(async (store) => {
  // Loaded by the first request: a process that is asked for single statements never needs it.
  const { createQuestions } = await import('./questions.ts');
  return createQuestions(store);
});
