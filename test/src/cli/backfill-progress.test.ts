// What `backfill` says while it runs, on a clock that the test moves.
import { describe, expect, it } from 'vitest';
import { printProgress } from '#src/cli/backfill-progress.ts';
import { noCounts, type Counts } from '#workers/sync/backfill/progress.ts';
import { allResources } from '#workers/sync/resources/registry.ts';

const resource = (name: string) => {
  const found = allResources.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};
const meetings = resource('scheduled_events');
const counts = (by_kind: Counts['by_kind']): Counts => ({ ...noCounts, pages: 1, rows: 1, by_kind });

function open() {
  const lines: string[] = [];
  let nowMs = new Date(2026, 10, 15, 11, 34, 14).getTime();
  const progress = printProgress({ notify: (line) => void lines.push(line), now: () => new Date(nowMs) });
  return { ...progress, lines, pass: (seconds: number) => void (nowMs += seconds * 1000) };
}

describe('the progress of a backfill', () => {
  it('gives totals, the calls of this minute and the time left', () => {
    using at = open();
    at.onRateLimit({ limit: 500, remaining: 490, resetMs: 60_000 });
    at.onProgress(meetings, noCounts);
    at.onTotal(meetings, 3_000);
    at.pass(10);
    at.onRateLimit({ limit: 500, remaining: 280, resetMs: 50_000 });
    at.onProgress(meetings, counts({ scheduled_event: 300, invitee: 321 }));
    expect(at.lines).toEqual([
      'scheduled_events: from the beginning',
      'scheduled_events: 3,000 scheduled events, one call each; about 9 min (Ctrl-C is safe: the next run resumes)',
      'scheduled_events: 300 of 3,000 scheduled events, 321 invitees; 220 of 500 calls used this minute (pauses at 300); about 9 min left',
    ]);
    // Slower than the limit allows: what was measured counts.
    at.pass(590);
    at.onProgress(meetings, counts({ scheduled_event: 600, invitee: 642 }));
    expect(at.lines.at(-1)).toMatch(/; about 40 min left$/);
    // More were booked meanwhile.
    at.pass(3);
    at.onProgress(meetings, counts({ scheduled_event: 3_007, invitee: 3_100 }));
    expect(at.lines.at(-1)).toMatch(/^scheduled_events: 3,007 scheduled events, 3,100 invitees; [^;]+$/);
  });

  it('says why it pauses and when it continues, once for calls that wait together', () => {
    using at = open();
    for (const ms of [56_000, 56_400, 55_900]) at.onPause({ ms, why: 'rate_limit' });
    const problem = 'Cannot reach http://127.0.0.1:3999 (connection refused).';
    at.onPause({ ms: 500, why: 'unavailable', problem });
    at.pass(60);
    at.onPause({ ms: 30_000, why: 'unavailable', problem });
    expect(at.lines).toEqual([
      'Paused 56 s: rate limit reached, continuing at 11:35:10',
      'Cannot reach http://127.0.0.1:3999 (connection refused). Trying again in 30 s.',
    ]);
  });

  it('says where it resumes, and how many rows of each kind there were', () => {
    using at = open();
    at.onProgress(meetings, counts({ scheduled_event: 1, invitee: 2 }));
    at.pass(61);
    at.onOutcome({
      name: 'scheduled_events',
      state: 'complete',
      counts: counts({ scheduled_event: 1_200, invitee: 1 }),
      missing: [],
      isUnreachable: false,
    });
    expect(at.lines).toEqual([
      'scheduled_events: resuming after 1 scheduled event, 2 invitees',
      'scheduled_events: done, 1,200 scheduled events, 1 invitee in 61 s',
    ]);
  });
});
