// The metrics of a process at work: what it asked the service, what it was asked, how long a delivery took, and who is behind.
import { expect, it } from 'vitest';
import { acknowledge } from '#src/feed/consumer.ts';
import { openStore } from '#src/store/open-store.ts';
import { eventually } from '../../../harness/moments.ts';
import { openHome } from '../../../harness/product.ts';
import { openTestSandbox } from '../../../harness/sandbox.ts';

it('count calls, requests, commits and consumers, and one id follows a batch through the log', async () => {
  await using sandbox = await openTestSandbox({ contacts: 2, bookings: 2, eventTypes: true });
  const { base_url: API_BASE_URL, tokens } = sandbox.handles;
  await using home = await openHome({ API_BASE_URL, API_TOKEN: tokens.owner, POLL_EVERY: '1h', LOG_LEVEL: 'debug' });
  const product = await home.open('start');
  const metrics = async () => (await product.admin('/metrics')).text();
  expect(await metrics()).not.toContain('\nslotstream_service_rate_limit_limit ');
  // The log says when the service has been read: reading the metrics again and again costs more.
  await eventually(product.output).toContain('copied scheduled_events');
  const read = await metrics();
  const invitees = 'endpoint="GET /scheduled_events/:id/invitees",status="200"';
  expect(read).toContain(`slotstream_service_calls_total{${invitees}} 2`);
  expect(read).toContain('\nslotstream_service_rate_limit_limit 500\n');
  for (const engine of ['queue', 'store', 'worker'])
    expect(read).toContain(`slotstream_engine_up{engine="${engine}"} 1`);
  expect(read).toMatch(/\nslotstream_service_rate_limit_remaining 4\d\d\n/);

  expect((await home.run(['trigger', 'invitee.created'])).code).toBe(0);
  await eventually(metrics).toContain('slotstream_commit_seconds_count 1');
  await using store = await openStore({ report: () => {} }, home.store);
  await acknowledge(store, { name: 'crm', position: 0, nowMs: Date.now() });
  await product.admin('/api/feed?limit=1');
  await product.admin('/api/contacts/no-such');
  const found = await metrics();
  expect(found).toMatch(/slotstream_api_requests_total\{route="GET \/metrics",status="200"\} \d/);
  expect(found).toContain('slotstream_api_requests_total{route="GET /api/feed",status="200"} 1');
  expect(found).toContain('slotstream_api_requests_total{route="GET /api/contacts/:uuid",status="404"} 1');
  expect(found).toMatch(/slotstream_feed_consumer_behind\{consumer="crm"\} [1-9]/);
  expect(found).toMatch(/slotstream_build_info\{version="\d\S+( \(\w+\))?"\} 1/);

  const lines = product
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const entries = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const received = entries.find(({ msg }) => msg === 'received');
  expect(received).toMatchObject({ batch: expect.stringMatching(/^[0-9a-f]{12}$/), deliveries: 1, outcome: 'queued' });
  expect(entries.find(({ msg }) => msg === 'batch')).toMatchObject({ batches: [received?.['batch']] });
});
