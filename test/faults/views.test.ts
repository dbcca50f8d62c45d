// The readers of views find bad news in what the product prints and shows, and only that.
import { describe, expect, it } from 'vitest';
import { wrongViews, type Report } from './observe.ts';
import { alertStatements, doctorStatements, pageStatements, statusStatements, type ViewName } from './views.ts';

describe('the first page', () => {
  const notice = (state: string) =>
    `<li class="notice ${state}" id="health-disk">
      <strong><span class="hidden">Word: </span><a href="/mirror">Work on &quot;a&quot; is &amp; was.</a></strong>
      <span>Run <code>work</code></span>
    </li>`;

  it.each(['problem', 'attention', 'warning'])(
    'has bad news in a notice in the state %s, and none where all is well',
    (state) => {
      const page = `<h1 class="verdict ok">All is well.</h1><ul>${notice('ok')}${notice(state)}</ul>`;
      expect(pageStatements(page, true)).toEqual(['Work on "a" is & was. Run work']);
    },
  );

  it('that cannot be shown is bad news as a whole', () => {
    expect(
      pageStatements(
        '<style>p {}</style><main><h1>Unavailable</h1>\n<p>The store is away.</p><p>Go to Now</p></main>',
        false,
      ),
    ).toEqual(['Unavailable The store is away. Go to Now']);
  });
});

it('status has bad news in the line of a process, of the queue and of a channel, and none in counts of zero and in times', () => {
  const bad = [
    'work     vm (13)     0.1.0    no report since 2026-11-18 00:00:00 UTC',
    'Queue    Redis: 12 batches waiting, 0 in progress, 0 waiting for a retry, 0 failed',
    'Bookings 40 entries behind the log, 12 s',
    'Channel webhook  paused after 9 failures until 2026-11-18 00:01:00 UTC',
  ];
  const output = `Processes
  role     host (pid)  version  since                    on disk  state
  receive  vm (12)     0.1.0    2026-11-18 00:00:00 UTC  0        running
Deliveries
  Queue    Redis: 0 batches waiting, 0 in progress, 0 waiting for a retry, 0 failed
  Disk log empty
  Bookings 1 entry behind the log, 0 s
  Messages 3 pending, 2 sent, 0 retracted, 0 failed
  Channel webhook  working
  ${bad.join('\n  ')}`;
  expect(statusStatements({ code: 1, output })).toEqual(bad.map((line) => `${line.replaceAll(/ +/g, ' ')} (exit 1)`));
});

it('doctor has bad news in checks that are not well, and without an answer is bad news itself', () => {
  const checks = [
    { id: 'store', state: 'problem', sentence: 'It does not answer.' },
    { id: 'disk', state: 'warning', sentence: 'It fills.' },
    { id: 'clock', state: 'ok', sentence: 'It is right.' },
  ];
  expect(doctorStatements({ code: 3, output: `a line of the log\n${JSON.stringify(checks)}\n` })).toEqual([
    'store: It does not answer. (exit 3)',
    'disk: It fills. (exit 3)',
  ]);
  expect(doctorStatements({ code: 1, output: 'No settings.' })).toEqual(['No settings. (exit 1)']);
});

it('alerts are bad news unless they are about bookings or about the end of a problem', () => {
  const message = (type: string, rule: string) => ({
    headers: {},
    raw: Buffer.from(''),
    body: { type, data: { rule, text: 'It happened.' } },
  });
  const received = [message('alert', 'disk'), message('alert', 'no_show'), message('alert.retraction', 'disk')];
  expect(alertStatements(received)).toEqual(['disk: It happened.']);
});

it('a row is wrong where a view that must report the fault does not, or any view reports something without a fault', () => {
  const reports = new Map<ViewName, Report>([['doctor', { text: 'It does not answer.', seconds: 2 }]]);
  expect(wrongViews({ expected: ['doctor', 'status'], reports })).toEqual(['status']);
  expect(wrongViews({ expected: [], reports })).toEqual(['doctor']);
});
