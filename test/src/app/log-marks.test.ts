// What a process remembers of the log that it has seen.
import { describe, expect, it } from 'vitest';
import { lostSinceMs, MarkHistory, type Mark } from '#src/app/log-marks.ts';

const mark = (atMs: number): Mark => ({ entry: `e${atMs}`, atMs });
const times = (marks: readonly Mark[]): readonly number[] => marks.map(({ atMs }) => atMs);

function historyOf(...atMs: readonly number[]): MarkHistory {
  const history = new MarkHistory();
  for (const at of atMs) history.add(mark(at));
  return history;
}

describe('the entries that a process remembers (S4)', () => {
  it('are one of each second and the newest', () => {
    const history = historyOf(...Array.from({ length: 300 }, (_, at) => at * 10));
    expect(times(history.all())).toEqual([0, 1000, 2000, 2990]);
    expect(history.newest).toEqual(mark(2990));
  });

  it('have the last one before each pause, which no later one replaces', () => {
    expect(times(historyOf(0, 10, 20, 30, 500, 510).all())).toEqual([0, 30, 510]);
  });

  it('are a quarter of an hour at most', () => {
    const history = historyOf(...Array.from({ length: 2000 }, (_, at) => at * 1000));
    expect(history.all().length).toBeLessThan(910);
    expect(history.newest).toEqual(mark(1_999_000));
  });

  it('are looked for from the last one that was found on', () => {
    const history = historyOf(0, 1000, 2000);
    const due = history.due();
    expect(times(due)).toEqual([0, 1000, 2000]);
    history.found(due);
    expect(times(history.due())).toEqual([2000]);
    history.add(mark(2010));
    history.add(mark(3500));
    expect(times(history.due())).toEqual([2000, 2010, 3500]);
  });

  it('are dropped when they are lost, and those from before and after stay', () => {
    const history = historyOf(0, 1000, 2000, 3000, 9000);
    history.found(history.due());
    history.drop(({ atMs }) => atMs === 2000 || atMs === 3000);
    expect(times(history.all())).toEqual([0, 1000, 9000]);
    history.drop(({ atMs }) => atMs === 9000);
    expect(history.newest).toEqual(mark(1000));
    expect(times(history.due())).toEqual([0, 1000]);
  });
});

describe('the time since which entries are lost (S4)', () => {
  const isLost = ({ atMs }: Mark): boolean => atMs >= 20 && atMs < 40;

  it('is that of the newest from before, also where others came after', () => {
    expect(lostSinceMs([5, 10, 20, 30, 50].map(mark), isLost)).toBe(10);
  });

  it('is unknown where nothing from before is remembered', () => {
    expect(lostSinceMs([20, 30, 50].map(mark), isLost)).toBeUndefined();
  });
});
