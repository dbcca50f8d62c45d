import { describe, expect, it } from 'vitest';
import { createTurnstile, nameOfSuspect, notesOf, runNoted } from '#src/queue/bullmq/poison-pill.ts';

describe('the turnstile', () => {
  it('lets a suspect run alone, after those inside and before those who came later', async () => {
    const turnstile = createTurnstile();
    const story: string[] = [];
    const run = (name: string) => async (): Promise<void> => {
      story.push(`+${name}`);
      await new Promise(setImmediate);
      story.push(`-${name}`);
    };
    await Promise.all([
      turnstile.together(run('a')),
      turnstile.together(run('b')),
      turnstile.alone(run('suspect')),
      turnstile.together(run('c')),
    ]);
    expect(story).toEqual(['+a', '+b', '-a', '-b', '+suspect', '-suspect', '+c', '-c']);
  });

  it('goes on after a run that throws', async () => {
    const turnstile = createTurnstile();
    const fail = async (): Promise<void> => Promise.reject(new Error('no'));
    await expect(turnstile.alone(fail)).rejects.toThrow('no');
    await expect(turnstile.together(fail)).rejects.toThrow('no');
    await turnstile.alone(async () => undefined);
  });
});

describe('the notes of a suspect', () => {
  it('count lonely runs that never ended, over all its lives', () => {
    expect(notesOf({ name: 'batch', progress: 1 })).toBeUndefined();
    expect(notesOf({ name: nameOfSuspect(), progress: 0 })).toBe(0);
    expect(notesOf({ name: nameOfSuspect(1), progress: 1 })).toBe(2);
  });

  it('are taken back when the run throws: what throws has not crashed', async () => {
    const written: unknown[] = [];
    const job = { progress: 0, updateProgress: async (progress: unknown) => void written.push(progress) };
    await expect(runNoted(job, () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
    await runNoted(job, async () => undefined);
    expect(written).toEqual([1, 0, 1]);
  });
});
