// `feed`: prints the feed directly from the store: one sentence per entry on a terminal, otherwise one JSON entry per line.
import { sentenceOf } from '#src/api/deliveries/sentences.ts';
import { allEventKinds } from '#schemas/events.ts';
import { readFactKinds } from '#schemas/records.ts';
import { openMirror } from '#src/app/mirror.ts';
import { restartSink } from '#src/app/restart-sink.ts';
import { nearestName } from '#src/base/did-you-mean.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { acknowledge, consumerName } from '#src/feed/consumer.ts';
import { filterInputs, filterOf, includeInput } from '#src/feed/filter.ts';
import { timeText } from '#src/base/time.ts';
import { readFeed, type FeedEntry } from '#src/feed/entry.ts';
import { openTail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { entriesWithBodies } from '#src/read/deliveries/delivery-tail.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { safeTerminalText } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, wholeNumberFrom, type VerbContext } from '#src/cli/verb.ts';

const pageLimit = 500;
/** How often the store is polled for entries that other processes wrote. */
const pollEveryMs = 100;

export const feed = defineVerb({
  examples: [
    'slotstream feed --follow --event contact.*',
    'slotstream feed --consumer warehouse | ./load-into-warehouse',
    'slotstream feed --after 1200 --limit 10',
    'slotstream feed --sink redis-stream --restart-at 1200',
  ],
  arguments: {},
  options: {
    after: { flags: '--after <seq>', help: 'start after this entry', reads: wholeNumberFrom(0).optional() },
    follow: { flags: '--follow', help: 'wait for new entries at the end of the log (Ctrl-C stops)', reads: flag },
    event: { flags: '--event <names>', help: 'only these kinds: contact.created,invitee.*', reads: filterInputs.event },
    subject: { flags: '--subject <uri>', help: 'only entries about this URI', reads: filterInputs.subject },
    outcome: {
      flags: '--outcome <names>',
      help: 'only these outcomes: applied,quarantined',
      reads: filterInputs.outcome,
    },
    include: {
      flags: '--include <what>',
      help: 'row: add the rows that each entry is about, as they are now; none: leave out changes and payload (prints JSON)',
      reads: includeInput,
    },
    consumer: {
      flags: '--consumer <name>',
      help: 'continue where this consumer stopped, and acknowledge what was printed',
      reads: consumerName.optional(),
    },
    sink: { flags: '--sink <name>', help: 'with --restart-at: the sink of the feed', reads: consumerName.optional() },
    restartAt: {
      flags: '--restart-at <seq>',
      help: 'print nothing: let the sink go on after this entry of the log, also when it was refused because it is ahead',
      reads: wholeNumberFrom(0).optional(),
    },
    limit: { flags: '--limit <n>', help: 'at most this many entries', reads: wholeNumberFrom(1).optional() },
    json: { ...asJson, help: 'print JSON on a terminal too; into a pipe or a file it is always JSON' },
  },
  async run(context, { after, follow, consumer, sink, restartAt, include, limit = Infinity, json, ...filters }) {
    if (sink !== undefined || restartAt !== undefined) {
      if (sink === undefined || restartAt === undefined)
        throw new SlotstreamError(
          'usage',
          'A sink goes on where you say: --sink NAME and --restart-at SEQ belong together.',
        );
      return restart(context, sink, restartAt);
    }
    const stopping = context.stopping();
    if (after !== undefined && consumer !== undefined)
      throw new SlotstreamError('usage', 'A consumer has a position of its own: use either --after or --consumer.', {
        hint: 'To move a consumer: POST /api/feed/consumers/NAME with {"rewind_to": seq}.',
      });
    await using store = await openMirror(context.config(), context.log());
    const filter = filterOf(filters);
    await refuseMisspelt(store, filter.events ?? []);
    const isForPerson = context.isTerminal && !json && include === undefined;
    const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: pollEveryMs });
    let position = await startOf(store, { after, consumer });
    for (let left = limit; left > 0 && !stopping.aborted;) {
      const { entries, nextAfter } = await readFeed(store, filter, {
        after: position,
        limit: Math.min(left, pageLimit),
        include,
      });
      const lines = isForPerson ? await sentenceLines(store, entries) : entries.map(({ text }) => text);
      if (lines.length > 0) await context.outAll(`${lines.join('\n')}\n`);
      if (consumer !== undefined && nextAfter > position)
        await acknowledge(store, { name: consumer, position: nextAfter, nowMs: context.now().getTime() });
      position = nextAfter;
      left -= entries.length;
      if (entries.length > 0) continue;
      if (!follow) break;
      await tail.beyond(position, stopping);
    }
    tail.close();
    return 0;
  },
});

async function restart(context: VerbContext, name: string, after: number): Promise<0> {
  await using store = await openMirror(context.config(), context.log());
  const { last, aheadAt } = await restartSink({ store, config: context.config() }, { name, after });
  context.out(
    `${name} goes on after entry ${after} of the log, which ends at ${last}. The process that fills it begins within seconds.`,
  );
  if (aheadAt !== undefined)
    context.out(
      `It has entries that this log does not have, up to the id ${aheadAt}. They stay, and what the log has after entry ${after} is added behind them.`,
    );
  return 0;
}

const knownKinds = [...allEventKinds, ...readFactKinds];

/** A kind that this version does not know may be in the log: newer ones are stored too. */
async function refuseMisspelt(store: Store, names: readonly string[]): Promise<void> {
  for (const name of names.filter((each) => !knownKinds.includes(each))) {
    const { entries } = await readFeed(store, filterOf({ event: [name] }), { after: 0, limit: 1, include: undefined });
    const nearest = nearestName(knownKinds, name);
    if (entries.length > 0 || nearest === undefined) continue;
    throw new SlotstreamError(
      'usage',
      `No entry of the log is of the kind ${name}, and this version knows no such kind.`,
      {
        hint: `Did you mean ${nearest}?`,
      },
    );
  }
}

async function sentenceLines(store: Store, entries: readonly FeedEntry[]): Promise<readonly string[]> {
  const seqs = entries.map(({ seq }) => seq);
  return (await entriesWithBodies(store, seqs)).toReversed().map((entry) => {
    const outcome = entry.outcome === 'applied' ? '' : ` (${entry.outcome})`;
    return `${timeText(entry.received_at)}  #${entry.seq}  ${safeTerminalText(sentenceOf(entry))}${outcome}`;
  });
}

interface Start {
  readonly after: number | undefined;
  readonly consumer: string | undefined;
}

async function startOf(store: Store, { after = 0, consumer }: Start): Promise<number> {
  if (consumer !== undefined) return (await readPosition(store, consumer)) ?? 0;
  const last = await lastSeq(store);
  if (after > last)
    throw new SlotstreamError('usage', `--after ${after} is beyond the end of the log, which is ${last}.`, {
      hint: `Use --after ${last} --follow to see only new entries.`,
    });
  return after;
}
