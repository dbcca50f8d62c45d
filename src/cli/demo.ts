// `demo`: the whole product on its embedded default, fed with a believable story, in a folder of its own.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { eventKinds } from '#schemas/events.ts';
import { openApp } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { openKeyRing } from '#src/keys.ts';
import { createLog } from '#src/log.ts';
import { sampleStream } from '#src/samples/stream.ts';
import { inWords } from '#src/samples/telling.ts';
import { signDelivery } from '#src/signature.ts';
import type { Store } from '#src/store/contract.ts';
import { overviewOf } from '#src/store/overview.ts';
import { openStore } from '#src/store/stores.ts';
import { renderTable } from './table.ts';
import { defineVerb, wholeNumberFrom, type VerbContext } from './verb.ts';

const tableEvery = 20;

const longestKind = Math.max(...Object.keys(eventKinds).map(({ length }) => length));

export const demo = defineVerb({
  name: 'demo',
  summary: 'see it work: deliveries arrive, tables fill, in a folder of its own',
  examples: ['slotstream demo', 'slotstream demo --rate 50 --count 500'],
  arguments: {},
  options: {
    rate: { flags: '--rate <n>', help: 'deliveries a second (default: 4)', reads: wholeNumberFrom(1).default(4) },
    count: {
      flags: '--count <n>',
      help: 'stop after so many (default: until Ctrl-C)',
      reads: wholeNumberFrom(1).optional(),
    },
    seed: { flags: '--seed <n>', help: 'another story', reads: wholeNumberFrom(0).default(1) },
  },
  async run(context, { rate, count, seed }) {
    const stopping = context.stopping();
    const config = demoConfig(context);
    context.say(
      'Starting: an embedded queue and a SQLite file, nothing to install (the first start takes a few seconds) …',
    );
    const log = createLog({ level: 'warn', pretty: process.stderr.isTTY });
    await using app = await openApp({ config, log }, { receives: true, works: true, makesKey: true });
    await using store = await openStore(
      { report: (err) => log.warn({ err }, 'the store reports an error') },
      config.databaseUrl,
    );
    const url = `http://127.0.0.1:${app.port}/webhooks`;
    const path = config.databaseUrl.slice('sqlite:'.length);
    context.say(`\nSlotstream listens on ${url}\nand writes to         ${path}\nCtrl-C stops it.\n`);

    const [key = ''] = openKeyRing({ ...config.signing, dataDir: config.dataDir, generate: false }).keysAt(Date.now());
    const before = (await overviewOf(store)).last_seq;
    let sent = 0;
    for (const delivery of sampleStream({ seed: seed + Math.floor(Date.now() / 1000), now: context.now })) {
      if (stopping.aborted || sent === count) break;
      const body = JSON.stringify(delivery);
      const headers = signDelivery({
        scheme: config.signing.scheme,
        headerName: config.signing.header,
        key,
        body: Buffer.from(body),
        atSeconds: Math.floor(Date.now() / 1000),
        id: randomUUID(),
      });
      const answer = await fetch(url, { method: 'POST', headers, body });
      sent += 1;
      context.out(`${answer.status}  ${delivery.event.padEnd(longestKind)}  ${inWords(delivery)}`);
      if (sent % tableEvery === 0) {
        await projected(store, before + sent);
        context.out(await tableOf(store));
      }
      await wait(1000 / rate, undefined, { signal: stopping }).catch(() => undefined);
    }
    await projected(store, before + sent);
    if (sent % tableEvery !== 0) context.out(await tableOf(store));
    context.say(
      `Look for yourself:\n  DATA_DIR=${config.dataDir} npx slotstream status\n  sqlite3 ${path} "select name, status, no_show_at from invitees limit 10"`,
    );
    return 0;
  },
});

/** Whatever is configured for real use stays out of the demo, and the demo out of it. */
function demoConfig({ env, config }: VerbContext) {
  const { dataDir } = config();
  const { HOST, PORT, ADMIN_PORT } = env;
  return loadConfig({ HOST: HOST ?? '127.0.0.1', PORT, ADMIN_PORT, DATA_DIR: join(dataDir, 'demo') });
}

/** Waits for the worker, but not for ever: a table is to show the delivery before it. */
async function projected(store: Store, lastSeq: number): Promise<void> {
  for (let tries = 0; tries < 60 && (await overviewOf(store)).last_seq < lastSeq; tries += 1) await wait(50);
}

async function tableOf(store: Store): Promise<string> {
  const { rows, last_seq } = await overviewOf(store);
  const lines = Object.entries({ 'event_log (last seq)': last_seq, ...rows }).map(([table, count]) => [
    table,
    String(count),
  ]);
  return `\n${renderTable(['table', 'rows'], lines)}\n`;
}
