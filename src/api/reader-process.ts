// The script of the processes that read a SQLite file for the one that serves the API.
import { serveReads } from '#src/store/reading/sqlite-reader.ts';

serveReads(async (store) => {
  const { createQuestions } = await import('./questions.ts');
  return createQuestions(store);
});
