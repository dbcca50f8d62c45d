// Keeps the search index of contacts up to date while the API is loaded. A process whose API is never called does not build it.
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { ApiContext } from './api-operation.ts';

/** A search reads rows that are not indexed yet one by one, so a delay costs little. */
const everyMs = 2_000;

export function runContactIndexJob({ store, tail, report }: Pick<ApiContext, 'store' | 'tail' | 'report'>): void {
  const { contactIndex } = store.engine;
  if (!contactIndex.needsCatchUp) return;
  const { closing: signal } = tail;
  let isFailing = false;
  const update = async (): Promise<void> => {
    try {
      await contactIndex.catchUp(store, { signal });
      isFailing = false;
    } catch (error) {
      // The store closes with the process even while an update runs; a lasting failure is reported once.
      if (signal.aborted || isFailing) return;
      isFailing = true;
      report(
        new SlotstreamError('refused', `The search index of contacts is not up to date (${codeOf(error)}).`, {
          hint: 'Searches are correct but slow. The update is retried every two seconds: check that the disk has space.',
          cause: error,
        }),
      );
    }
  };
  const timer = setInterval(update, everyMs);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  void update();
}
