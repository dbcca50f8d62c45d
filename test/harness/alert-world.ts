// Alerts from the log to the other side, on a clock that only tests move: a real store, a real queue, real receivers.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { span } from '#src/config/readers.ts';
import { resend } from '#src/store/alerts/send-results.ts';
import { alertOf, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { configuredChannels, openChannels } from '#workers/alerts/channels/channels.ts';
import { timeOf } from '#workers/alerts/outbox/apply.ts';
import { loadRules } from '#workers/alerts/rules/ruleset.ts';
import { startSending, type Sending } from '#workers/alerts/outbox/send-service.ts';
import { catchUp } from '#workers/alerts/rules/watcher.ts';
import { open, locations } from '../src/queue/backends/queue-locations.ts';
import { openInbox, type Inbox } from './inbox.ts';
import type { Settings } from './product.ts';
import { freshSqlite, ingestBodies, type TestStore } from './stores.ts';

export interface AlertWorld extends AsyncDisposable {
  readonly store: Store;
  readonly inbox: Inbox;
  nowMs(): number;
  /** What the service tells, folded; and what there is to say about it, settled. */
  tell(...bodies: readonly string[]): Promise<void>;
  /** Time passes: `90s`, `8h`. */
  pass(time: string): void;
  alerts(): Promise<readonly Alert[]>;
  /** Of the alerts of one channel, in the order of their subjects. */
  states(channel: string): Promise<readonly string[]>;
  resend(): Promise<void>;
  standing: Sending['standing'];
  /** From now on the queue takes nothing and hands out nothing. */
  loseQueue(): Promise<void>;
  /** What was said in the log. */
  readonly lines: readonly string[];
}

export interface AlertWorldPlan {
  readonly backend?: keyof typeof locations;
  readonly fresh?: () => Promise<TestStore>;
  readonly settings?: Settings;
  readonly rules?: readonly object[];
  /** The moment at which it begins. */
  readonly at?: string;
}

export async function openAlertWorld(plan: AlertWorldPlan = {}): Promise<AlertWorld> {
  await using opened = new AsyncDisposableStack();
  let clockMs = Date.parse(plan.at ?? '2026-03-04T10:00:00Z');
  const nowMs = (): number => clockMs;
  const { store } = opened.use(await (plan.fresh ?? freshSqlite)());
  const inbox = opened.use(await openInbox());
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-alerts-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'rules.json');
  await writeFile(file, JSON.stringify({ rules: plan.rules ?? [{ name: 'missed', when: 'no_show' }] }));
  const { alerts: settings } = loadConfig({
    DATA_DIR: folder,
    ...inbox.settings,
    ALERTS_FILE: file,
    ...plan.settings,
  });
  const lines: string[] = [];
  const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const { graceMs, maxAgeMs, dashboardUrl } = settings;
  const rules = await loadRules({ file: settings.file, graceMs, configured: configuredChannels(settings) });
  // Signatures are checked by the real time.
  const channels = await openChannels(settings, { log, clock: Date.now });
  for (const channel of channels.values()) opened.defer(() => channel.close?.());
  const place = await locations[plan.backend ?? 'redis']();
  const queue = await open(place);
  opened.defer(() => queue.close());
  const sends = await queue.openSends(`${place.name}-sends`);
  const sending = startSending({ store, sends, rules, channels, dashboardUrl, nowMs, random: () => 0, log });
  opened.defer(() => sending.close());
  const watching = { store, nowMs, onSettled: () => sending.poke() };
  const watched = { rules: rules.bookings, maxAgeMs };
  // From here on it hears of everything.
  await catchUp(watching, watched);

  const alerts = async (): Promise<readonly Alert[]> => {
    const rows = await store.db.selectFrom('alerts').selectAll().orderBy('subject_uri').orderBy('id').execute();
    return rows.map((row) => alertOf(store, row));
  };
  const resources = opened.move();
  return {
    store,
    inbox,
    nowMs,
    lines,
    alerts,
    async tell(...bodies) {
      await ingestBodies(store, bodies);
      await catchUp(watching, watched);
    },
    pass(time) {
      clockMs += span.parse(time);
      sending.poke();
    },
    async states(channel) {
      return (await alerts()).filter((alert) => alert.channel === channel).map(({ state }) => state);
    },
    async resend() {
      const ids = (await alerts()).map(({ id }) => id);
      await store.transaction((unit) => resend(unit, ids, timeOf(clockMs)));
      sending.poke();
    },
    standing: () => sending.standing(),
    loseQueue: () => queue.close(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
