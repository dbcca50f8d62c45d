import { describe, expect, it } from 'vitest';
import { statusText } from '#src/cli/status-text.ts';

const lastRun = { finished_at: '2026-01-02T03:04:05Z', read: 120, drift: { contacts: { missing: 2, extra: 1 } } };

const running = {
  running: true,
  roles: { receives: true, works: true },
  started_at: '2026-01-01T00:00:00Z',
  pid: 42,
  queue: { engine: 'redis', waiting: 3, active: 1, delayed: 2, failed: 0 },
  spool: { deliveries: 7, bytes: 900 },
  journal: { batches: 8, bytes: 1200, losses: 0, is_full: false },
  store: {
    engine: 'sqlite',
    last_seq: 5,
    last_received_at: '2026-01-03T00:00:00.000000Z',
    quarantined: 4,
    unhandled: 1,
    rows: { contacts: 10, no_shows: 0 },
  },
  reconcile: { recent: lastRun },
  retention: { finished_at: '2026-01-04T00:00:00Z', before: '2025-01-01T00:00:00Z', pruned: 9, pruned_ever: 30 },
  alerts: { pending: 0, sent: 2, retracted: 0, failed: 1 },
  alert_channels: {
    log: { state: 'closed', failures: 0, until: null },
    slack: { state: 'open', failures: 5, until: '2026-01-05T00:00:00Z' },
  },
  sinks: { webhook: { position: 3, behind: 2, sent: 3, failures: 4, failing: 1, last_error: 'HTTP_500' } },
};

describe('the text of status', () => {
  it('groups what a running process reports under headings', () => {
    expect(statusText(running)).toBe(`Process
  State       running since 2026-01-01T00:00:00Z
  Roles       receives deliveries, fills the tables
  Process ID  42

Queue (Redis)
  Batches waiting      3
  In progress          1
  Waiting for a retry  2
  Failed               0

Spool (deliveries on disk until the queue accepts them)
  Deliveries  7
  Bytes       900

Journal (copies on disk until the deliveries are processed)
  Batches              8
  Bytes                1200
  Losses of the queue  0

Event log (SQLite)
  Last entry    #5, received 2026-01-03T00:00:00.000000Z
  Quarantined   4
  Unknown kind  1

Rows per table
  contacts  10
  no_shows  0

Comparison with the service
  Recent changes  2026-01-02T03:04:05Z: 120 records compared, 3 differences repaired
  Everything      never compared

Retention
  Last run          2026-01-04T00:00:00Z
  Content removed   from 9 entries received before 2025-01-01T00:00:00Z
  Removed in total  from 30 entries

Alerts
  Pending        0
  Sent           2
  Retracted      0
  Failed         1
  Channel log    working
  Channel slack  paused after 5 failures until 2026-01-05T00:00:00Z

Feed delivery
  webhook  at #3, 2 behind, 3 sent, 1 subjects failing (HTTP_500)`);
  });

  it('says how to start a process where none runs, and that there is no mirror yet', () => {
    expect(statusText({ running: false, store: { state: 'no mirror yet' } })).toBe(
      `Process
  State  not running (start it: ./bin/slotstream start)

Event log
  State  no mirror yet`,
    );
  });

  it('says that the queue does not answer', () => {
    expect(statusText({ running: true, queue: { engine: 'postgres', state: 'not answering' } })).toContain(
      'Queue (PostgreSQL)\n  State  not answering',
    );
  });

  it('leaves out a part whose shape it does not know', () => {
    expect(statusText({ ...running, store: 7, alerts: { pending: 'many' } })).not.toMatch(/Event log|Alerts/);
  });
});
