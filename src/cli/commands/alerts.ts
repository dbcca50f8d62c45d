// `alerts`: tests the channels, lists alerts, and resends those that failed.
import { slotstream } from '#src/base/command.ts';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { shownAlert } from '#src/api/alerts.ts';
import { openMirror } from '#src/app/mirror.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { counted } from '#src/base/number-text.ts';
import { instantOf } from '#src/base/time.ts';
import { failedAlerts, resend as sendAgain } from '#src/store/alerts/send-results.ts';
import { findAlerts } from '#src/store/alerts/alert-queries.ts';
import { readAlerts } from '#src/store/alerts/alert-rows.ts';
import { alertStates } from '#src/store/schema/own-state.ts';
import { subjectNames } from '#src/store/alerts/alert-subjects.ts';
import { adminUrlWarning } from '#src/doctor/admin-url.ts';
import { alertWarnings } from '#src/doctor/alerts.ts';
import { openIfAny } from '#src/doctor/check.ts';
import { type Channel } from '#workers/out/alerts/channels/channel.ts';
import { channelNames, type ChannelName } from '#src/store/alerts/channel-names.ts';
import { configuredChannels, openChannels } from '#workers/out/alerts/channels/channels.ts';
import { testMessage } from '#workers/out/alerts/message/message.ts';
import { channelVariables } from '#workers/out/alerts/rules/cross-rule-errors.ts';
import { loadRules } from '#workers/out/alerts/rules/ruleset.ts';
import { renderTable, safeTerminalText } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, wholeNumberFrom, type ExitCode, type VerbContext } from '#src/cli/verb.ts';

const actions = ['test', 'list', 'resend'] as const;

interface Input {
  readonly id?: string | undefined;
  readonly channel?: ChannelName | undefined;
  readonly state?: (typeof alertStates)[number] | undefined;
  readonly rule?: string | undefined;
  readonly limit: number;
  readonly failed: boolean;
  readonly json: boolean;
}

export const alerts = defineVerb({
  examples: [
    'slotstream alerts test',
    'slotstream alerts test --channel slack',
    'slotstream alerts list --state failed',
    'slotstream alerts resend --failed',
  ],
  arguments: {
    action: {
      flags: '<action>',
      help: 'test: send a test message to each channel; list; resend: one alert by id, or --failed',
      reads: z.enum(actions, `one of ${actions.join(', ')}`),
    },
    id: { flags: '[id]', help: 'resend: the id of the alert', reads: z.string().optional() },
  },
  options: {
    channel: {
      flags: '--channel <name>',
      help: `only this channel: ${channelNames.join(', ')}`,
      reads: z.enum(channelNames, `one of ${channelNames.join(', ')}`).optional(),
    },
    state: {
      flags: '--state <state>',
      help: `list: only alerts in this state: ${alertStates.join(', ')}`,
      reads: z.enum(alertStates, `one of ${alertStates.join(', ')}`).optional(),
    },
    rule: { flags: '--rule <name>', help: 'list: only alerts of this rule', reads: z.string().optional() },
    limit: {
      flags: '--limit <n>',
      help: 'list: how many, newest first (default 20)',
      reads: wholeNumberFrom(1)
        .optional()
        .transform((given = 20) => given),
    },
    failed: { flags: '--failed', help: 'resend: all failed alerts', reads: flag },
    json: asJson,
  },
  run: (context, { action, ...input }) => {
    if (input.id !== undefined && action !== 'resend')
      throw new SlotstreamError('usage', `\`alerts ${action}\` takes no id.`, { hint: `${slotstream} alerts --help` });
    return work[action](context, input);
  },
});

const work: Readonly<Record<(typeof actions)[number], (context: VerbContext, input: Input) => Promise<ExitCode>>> = {
  async test(context, { channel: only, json }) {
    const { alerts: settings } = context.config();
    const configured = configuredChannels(settings);
    // With an invalid rules file no alert would be sent.
    const rules = await loadRules({ ...settings, configured });
    const needs = { log: context.log(), clock: () => context.now().getTime() };
    const opened = await openChannels(settings, needs, rules.byName.values());
    const isChosen = (key: string, name: ChannelName): boolean =>
      only === undefined ? key !== 'log' || configured.includes('log') : name === only;
    const chosen = [...opened].filter(([key, { name }]) => isChosen(key, name));
    if (chosen.length === 0)
      throw new SlotstreamError('config', `The channel ${only} is not configured.`, {
        hint: 'docs/alerts.md lists the settings of each channel.',
      });
    try {
      const answers = await Promise.all(
        chosen.map(async ([key, channel]) => ({ ...(await sendTest(context, channel)), channel: key })),
      );
      const rows = answers.map(({ channel, target, ok, answer }) => [
        channel,
        target,
        ok ? '✓' : '✗',
        safeTerminalText(answer),
      ]);
      context.out(json ? JSON.stringify(answers) : renderTable(['channel', 'to', '', 'answer'], rows));
      for (const { channel, ok } of answers)
        if (!ok)
          context.notify(
            `✗ ${channel} did not accept the message.\n  → Check ${channelVariables.get(channel) ?? 'its address in ALERTS_FILE'}; docs/alerts.md has a section about each channel.`,
          );
      // The channels are tested all the same.
      await using store = await openIfAny(() => openMirror(context.config(), context.log())).catch((error: unknown) => {
        context.notify(`! The custom fields in rules were not checked: the store cannot be opened (${codeOf(error)}).`);
        return undefined;
      });
      const wrongUrl = await adminUrlWarning(settings.adminUrl);
      const warnings = await alertWarnings({ alerts: settings, rules, store });
      for (const { message, fix } of [...(wrongUrl === undefined ? [] : [wrongUrl]), ...warnings])
        context.notify(`! ${safeTerminalText(message)}\n  → ${fix}`);
      return answers.every(({ ok }) => ok) ? 0 : 1;
    } finally {
      for (const channel of opened.values()) await channel.close?.();
    }
  },

  async list(context, { channel, state, rule, limit, json }) {
    await using store = await openMirror(context.config(), context.log());
    const { items } = await findAlerts(
      store,
      { channel, state, rule },
      { count: limit, descending: true, backwards: false },
    );
    const records = items.map(shownAlert);
    const names = await subjectNames(
      store,
      records.map((one) => one.subject_uri),
    );
    if (json) context.out(JSON.stringify(records));
    else if (records.length === 0) context.out('No alerts.');
    else
      context.out(
        renderTable(
          ['created (UTC)', 'state', 'due (UTC)', 'channel', 'rule', 'about', 'attempts', 'id', 'last error'],
          records.map((one) => [
            timeText(one.created_at),
            one.state,
            ['pending', 'retracting'].includes(one.state) ? timeText(one.next_at) : '',
            one.channel,
            one.rule,
            safeTerminalText(names.get(one.subject_uri) ?? one.subject_uri),
            String(one.attempts),
            one.id,
            safeTerminalText(one.last_error ?? ''),
          ]),
        ),
      );
    return 0;
  },

  async resend(context, { id, failed, json }) {
    if ((id === undefined) !== failed)
      throw new SlotstreamError('usage', 'Which alert should be resent?', {
        hint: `Give one id, or --failed for all failed alerts. List them: ${slotstream} alerts list --state failed`,
      });
    await using store = await openMirror(context.config(), context.log());
    const ids = id === undefined ? await failedAlerts(store) : [id];
    const resent = await store.transaction((unit) => sendAgain(unit, ids, instantOf(context.now())));
    if (id !== undefined && resent.length === 0) throw notResendable(id, (await readAlerts(store, [id]))[0]?.state);
    context.out(json ? JSON.stringify({ resent }) : `${counted(resent.length, 'alert')} will be resent.`);
    return 0;
  },
};

/** Longer than any channel's own timeout. */
const testTimeoutMs = 60_000;

async function sendTest(context: VerbContext, channel: Channel) {
  // It needs no test, and its line would be mixed into the output.
  if (channel.name === 'log')
    return {
      channel: channel.name,
      target: channel.target,
      ok: true,
      answer: 'nothing to test: alerts are lines of the log',
    };
  const { adminUrl } = context.config().alerts;
  const message = testMessage({ adminUrl }, { id: randomUUID(), now: instantOf(context.now()) });
  const signal = AbortSignal.any([context.stopping(), AbortSignal.timeout(testTimeoutMs)]);
  const { ok, answer } = await channel
    .send(message, signal)
    .catch((error: unknown) => ({ ok: false, answer: `It failed (${codeOf(error)}).` }));
  return { channel: channel.name, target: channel.target, ok, answer };
}

function notResendable(id: string, state: string | undefined): SlotstreamError {
  return state === undefined
    ? new SlotstreamError('usage', `There is no alert ${safeTerminalText(id)}.`, { hint: `${slotstream} alerts list` })
    : new SlotstreamError('usage', `The state of this alert is ${state}: only failed alerts can be resent.`, {
        hint: `${slotstream} alerts list --state failed`,
      });
}

const timeText = (instant: string): string => instant.slice(0, 19).replace('T', ' ');
