// A rule with its own address: its messages go there and nowhere else, it fails by itself, and the address is shown nowhere.
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import { loadConfig } from '#src/config/load.ts';
import { openChannels } from '#workers/out/alerts/channels/channels.ts';
import { eventually } from '../../../../harness/moments.ts';
import { openAlertWorld } from '../../../../harness/alerts/alert-world.ts';
import { noShowMessage } from '../../../../harness/alerts/channel-sends.ts';
import { noShowBooking } from '../../../../harness/data/no-show-bookings.ts';
import { openCallback } from '../../../../harness/sandbox/callback-server.ts';

const secret = 'canary-of-the-sales-team';

describe('a rule with its own address', () => {
  it('sends there, also without a setting, and fails without pausing the others', async () => {
    await using team = await openCallback();
    const own = { when: 'no_show', channels: ['slack'], slack_url: `${team.url}/${secret}` };
    await using world = await openAlertWorld({
      rules: [
        { ...own, name: 'sales' },
        { name: 'all', when: 'no_show', channels: ['slack'] },
      ],
    });
    const missed = (n: number) => noShowBooking(n, world.nowMs()).marked;
    await world.deliver(missed(1));
    await eventually(() => [team.received.length, world.inbox.slack.received.length]).toEqual([1, 1]);
    team.answer = 503;
    for (let n = 2; n < 8; n += 1) await world.deliver(missed(n));
    await eventually(() => world.channelStates()).toMatchObject({
      'slack of sales': { state: 'open' },
      slack: { state: 'closed', failures: 0 },
    });
    await eventually(() => world.inbox.slack.received.length).toBe(7);
    expect([world.lines, await world.alerts()].map((shown) => JSON.stringify(shown)).join()).not.toContain(secret);

    await using alone = await openAlertWorld({ rules: [{ ...own, name: 'sales' }], settings: { ALERT_SLACK_URL: '' } });
    team.answer = 200;
    const before = team.received.length;
    await alone.deliver(noShowBooking(1, alone.nowMs()).marked);
    await eventually(() => alone.states('slack')).toEqual(['sent']);
    expect(team.received.length).toBe(before + 1);
  });

  it('does not reach private networks, and warns about an address without encryption', async () => {
    await using team = await openCallback();
    const lines: string[] = [];
    const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
    const addresses = [{ channel: 'slack', url: `${team.url}/${secret}` }] as const;
    const { alerts } = loadConfig({ DATA_DIR: tmpdir() });
    const channels = await openChannels(alerts, { log, clock: Date.now }, [{ name: 'sales', addresses }]);
    const channel = channels.get('slack of sales');
    expect(await channel?.send(noShowMessage, AbortSignal.timeout(5_000))).toMatchObject({ ok: false, retry: false });
    for (const each of channels.values()) await each.close?.();
    expect(team.received).toEqual([]);
    expect(lines.join()).toContain('slack_url of the rule sales');
    expect(lines.join()).not.toContain(secret);
  });
});
