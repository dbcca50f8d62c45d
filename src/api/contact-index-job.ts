// Keeps the word index of contacts up to date from the moment the read API is there until it closes: who never searches pays
// nothing for it.
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { catchUp } from '#src/store/search/contact-fts.ts';
import type { ReaderNeeds } from './operation.ts';

/** What is written meanwhile is searched one by one, so there is no hurry. */
const everyMs = 2_000;

export function keepWords({ store, tail, report }: Pick<ReaderNeeds, 'store' | 'tail' | 'report'>): void {
  if (store.engine.name !== 'sqlite') return;
  const { closing: signal } = tail;
  let isFailing = false;
  const keep = async (): Promise<void> => {
    try {
      await catchUp(store, { signal });
      isFailing = false;
    } catch (error) {
      // The store closes with the process, whatever is under way; and what lasts is said once.
      if (signal.aborted || isFailing) return;
      isFailing = true;
      report(
        new SlotstreamError(
          'refused',
          `The index by which contacts are searched is not up to date (${codeOf(error)}).`,
          {
            hint: 'Searches are right, but slow. It is tried again all the time: check that the disk has room.',
            cause: error,
          },
        ),
      );
    }
  };
  const timer = setInterval(keep, everyMs);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  void keep();
}
