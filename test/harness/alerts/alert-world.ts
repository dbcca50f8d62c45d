// Alerts from the log to the recipients, on a clock that only the test moves: a real store and real receivers.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instantOf } from '#src/base/time.ts';
import { loadConfig } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { span } from '#src/config/readers.ts';
import { resend } from '#src/store/alerts/send-results.ts';
import { alertOf, lockAlerts, type Alert } from '#src/store/alerts/alert-rows.ts';
import { decodeRow } from '#src/store/rows.ts';
import type { Store } from '#src/store/contract.ts';
import { configuredChannels, openChannels } from '#workers/out/alerts/channels/channels.ts';
import { loadRules, type AlertRule, type ConditionRule } from '#workers/out/alerts/rules/ruleset.ts';
import { claimMessages, type ClaimedPart } from '#workers/out/alerts/outbox/claim.ts';
import type { Message } from '#workers/out/alerts/message/message.ts';
import { buildFor } from '#workers/out/alerts/outbox/send.ts';
import { startOutboxPoller } from '#workers/out/alerts/outbox/poll.ts';
import { watch, type WatcherInput, type WatcherNeeds } from '#workers/out/alerts/rules/watcher.ts';
import { openAlertReceivers } from './alert-receivers.ts';
import { eventually } from '../moments.ts';
import type { Settings } from '../product.ts';
import { freshSqlite, ingestBodies, type TestStore } from '../stores.ts';

export type AlertWorld = Awaited<ReturnType<typeof openAlertWorld>>;

export interface AlertWorldPlan {
  readonly fresh?: () => Promise<TestStore>;
  readonly settings?: Settings;
  readonly rules?: readonly object[];
  /** The time at which the clock starts. */
  readonly at?: string;
}

/** Claims an alert as the poller does; nothing when it is over. */
export async function claimForSending(
  store: Store,
  id: string,
  claim: { readonly rules: ReadonlyMap<string, AlertRule>; readonly nowMs: number },
): Promise<readonly ClaimedPart[]> {
  return store.transaction(async (unit) => (await claimMessages(unit, [await lockAlerts(unit, [id])], claim))[0] ?? []);
}

/** What would be sent now about all alerts of a rule on a channel. */
export async function messagesOf(
  store: Store,
  rule: Exclude<AlertRule, ConditionRule>,
  { channel, nowMs }: { readonly channel: string; readonly nowMs: number },
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  const rows = await store.db.selectFrom('alerts').select(['id', 'channel']).execute();
  for (const { id } of rows.filter((row) => row.channel === channel))
    for (const part of await claimForSending(store, id, { rules: new Map([[rule.name, rule]]), nowMs }))
      messages.push(await buildFor({ adminUrl: 'https://slots.example.test' }, rule, part));
  return messages;
}

export async function openAlertWorld(plan: AlertWorldPlan = {}) {
  await using opened = new AsyncDisposableStack();
  let clockMs = Date.parse(plan.at ?? '2026-03-04T10:00:00Z');
  const nowMs = (): number => clockMs;
  const { store } = opened.use(await (plan.fresh ?? freshSqlite)());
  const inbox = opened.use(await openAlertReceivers());
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
  const { graceMs, maxAgeMs, adminUrl } = settings;
  const rules = await loadRules({ file: settings.file, graceMs, configured: configuredChannels(settings) });
  // Signatures are checked with the real clock.
  const channels = await openChannels(settings, { log, clock: Date.now }, rules.byName.values());
  for (const channel of channels.values()) opened.defer(() => channel.close?.());
  const outbox = { store, rules: rules.byName, channels, adminUrl, nowMs, random: () => 0, log };
  const poller = startOutboxPoller(outbox);
  opened.defer(() => poller.close());
  const watcher = { store, nowMs, onOutboxChanged: () => poller.wake() };
  const watched = { rules: [...rules.bookings, ...rules.submissions], maxAgeMs };
  // The watcher sees everything from here on.
  await catchUp(watcher, watched);

  const alerts = async (): Promise<readonly Alert[]> => {
    const rows = await store.db.selectFrom('alerts').selectAll().orderBy('subject_uri').orderBy('id').execute();
    return rows.map((row) => alertOf(decodeRow(store.engine, 'alerts', row)));
  };
  const states = async (channel: string): Promise<readonly string[]> =>
    (await alerts())
      .filter((alert) => alert.channel === channel)
      .map(({ state }) => state)
      .toSorted();
  const resources = opened.move();
  return {
    store,
    inbox,
    nowMs,
    lines,
    alerts,
    /** Folds deliveries and evaluates the rules. */
    async deliver(...bodies: readonly string[]): Promise<void> {
      await ingestBodies(store, bodies);
      await catchUp(watcher, watched);
    },
    /** Advances the clock by `90s`, `8h`. */
    advance(time: string): void {
      clockMs += span.parse(time);
      poller.wake();
    },
    /** Advances the clock and evaluates what has become due. A new watcher looks, as after a restart. */
    async pass(time: string): Promise<void> {
      clockMs += span.parse(time);
      await catchUp(watcher, watched);
      poller.wake();
    },
    states,
    /** Resolves when the alerts of a channel have these states, in alphabetical order. */
    reaches: async (channel: string, expected: readonly string[]) =>
      await eventually(() => states(channel)).toEqual(expected),
    async resend(): Promise<void> {
      const ids = (await alerts()).map(({ id }) => id);
      await store.transaction((unit) => resend(unit, ids, instantOf(clockMs)));
      poller.wake();
    },
    channelStates: () => poller.channelStates(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Runs the watcher once up to the end of the log. */
export async function catchUp(needs: WatcherNeeds, input: WatcherInput): Promise<void> {
  const end = new AbortController();
  const tail = { closing: end.signal, beyond: async () => end.abort() };
  await watch({ ...needs, tail }, input, end.signal);
}
