// Turns of questions: how many wait, and how long.
import { expect, it, onTestFinished, vi } from 'vitest';
import { codeOf } from '#src/base/errors.ts';
import { questionLimits } from '#src/store/reading/reading.ts';
import { Turns } from '#src/store/reading/turns.ts';

it('200 wait for the two that have a turn; the 201st is refused at once, and the others after five seconds', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const turns = new Turns(questionLimits);
  const first = await turns.take();
  await turns.take();
  const ended: string[] = [];
  const take = async (who: string) => ended.push(`${who} ${await turns.take().then(() => 'answered', codeOf)}`);
  const waiting = Array.from({ length: 200 }, (_, index) => take(String(index)));
  await take('the 201st');
  expect(ended).toEqual(['the 201st questions_wait']);
  first();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(ended.slice(1)).toEqual(['0 answered']);
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all(waiting);
  expect(ended.slice(1)).toEqual(['0 answered', ...waiting.slice(1).map((_, index) => `${index + 1} questions_wait`)]);
});

it('a turn that is ended twice is one turn, and none is given when they are closed', async () => {
  const turns = new Turns({ most: 1, mostWaiting: 1, waitMs: 60_000 });
  const end = await turns.take();
  end();
  end();
  await turns.take();
  const waiting = turns.take();
  turns.close();
  await expect(waiting).rejects.toMatchObject({ code: 'stopped' });
  await expect(turns.take()).rejects.toMatchObject({ code: 'stopped' });
});
