// Erases a person: out of every row and every log entry, in one transaction that also tells of it in the log. From then on no
// fact, whenever it comes, brings them back.
//
//   the log is searched               (writers go on)
//   ┌ transaction: writers wait
//   │ what came meanwhile is searched too
//   │ entries ← without the person;  rows ← what those entries say now
//   │ log     ← person.erased, one for each subject and one for each address
//   └ commit
import type { Store, Unit } from '#src/store/contract.ts';
import { appendEntries, knownEntries } from '#src/store/log/log.ts';
import { undone } from '#src/store/dry-run-store.ts';
import { openMirror } from '#workers/pipeline/row-workspace.ts';
import { mirrorTables } from '#workers/projections/contract.ts';
import { join, type JoinOptions } from '#workers/projections/merge.ts';
import { unread } from '#workers/pipeline/parse.ts';
import { dropStagedPages } from '#workers/sync/checkpoints.ts';
import { addressHash } from './addresses.ts';
import { compiledErasure, erasureEntry, type Erased } from './erasure-entry.ts';
import { erasedAddress, erasuresOf, makeKey, readKey, standingErasures } from './erasure-index.ts';
import type { Receipt } from './receipt.ts';
import { rewrite, writeCounted, type Touched } from './redact-log.ts';
import { copyOf, nothingSeen, search, type Sightings, type Wanted } from './find-entries.ts';
import { isHere, subjectsOf, type Target } from './target.ts';

export interface EraseNeeds {
  readonly store: Store;
  readonly options: JoinOptions;
  /** Of the hash that addresses are remembered by; asked once in the life of a store. */
  readonly newKey: () => string;
  readonly onProgress?: (entries: number) => void;
}

export interface EraseInput {
  /** On our clock, six digits. */
  readonly now: string;
  readonly dryRun?: boolean;
  /** Nothing but what is named: the person's further addresses are not followed. */
  readonly only?: boolean;
}

export async function erase(needs: EraseNeeds, target: Target, input: EraseInput): Promise<Receipt> {
  const { now, dryRun = false, only = false } = input;
  const subjects = await subjectsOf(needs.store, target);
  const wanted: Wanted = { target, only, key: await keyFor(needs, target, { dryRun, only }) };
  const seen = nothingSeen(target, subjects);
  await search(needs.store, wanted, { seen, onProgress: needs.onProgress });
  const { transaction } = dryRun ? undone(needs.store) : needs.store;
  const done = await transaction(async (unit) => {
    await unit.engine.lockTables(unit.db, mirrorTables);
    await unit.engine.lockLog(unit.db);
    const found = copyOf(seen);
    await search(unit, wanted, { seen: found });
    // Before anything is changed: an erased contact has a row, even where nobody ever heard of it.
    const known = target.kind === 'uri' ? await isHere(unit, target.uri) : found.places.size + found.subjects.size > 0;
    return { known, ...(await carryOut(unit, needs.options, { wanted, found, now })) };
  });
  const what = target.kind === 'uri' ? { uri: target.uri } : { email_hash: addressHash(wanted.key, target.address) };
  return { erased: what, at: now, dry_run: dryRun, ...done };
}

/** A dry run leaves nothing behind, not even a key. */
async function keyFor(
  { store, newKey }: EraseNeeds,
  { kind }: Target,
  { dryRun, only }: Required<Pick<EraseInput, 'dryRun' | 'only'>>,
): Promise<string> {
  const standing = await readKey(store);
  if (standing !== undefined || (kind === 'uri' && only)) return standing ?? '';
  if (dryRun) return newKey();
  return store.transaction(async (unit) => {
    await unit.engine.lockLog(unit.db);
    return makeKey(unit, newKey);
  });
}

interface Order {
  readonly wanted: Wanted;
  readonly found: Sightings;
  readonly now: string;
}

type Done = Pick<Receipt, 'subjects' | 'addresses' | 'removed' | 'seqs'>;

async function carryOut(unit: Unit, options: JoinOptions, { wanted, found, now }: Order): Promise<Done> {
  await unit.engine.noteForgotten(unit.db);
  const standing = await standingErasures(unit);
  const known = erasuresOf({ seq: 1, key: wanted.key, erased: standing });
  const subjects = [...found.subjects].map(([uri, table]) => ({ uri, table }));
  const through = found.newest > now ? found.newest : now;
  const hashes = [...found.addresses].map((address) => erasedAddress(wanted.key, { address, through }));
  const all: Erased[] = [...subjects, ...hashes];
  const isNews = (one: Erased) =>
    'uri' in one ? !known.subjects.has(one.uri) : one.through > (known.addresses.get(one.email_hash) ?? '');
  const news = all.filter(isNews);
  const erasures = erasuresOf({ seq: 1, key: wanted.key, erased: [...standing, ...news] });

  const touched: Touched = new Map();
  const entries = await rewrite(unit, erasures, { places: found.places, touched });
  const told = news.map((erased) => erasureEntry(erased, { at: now, base: unread }));
  const buried = told.flatMap(({ body }) => compiledErasure(body) ?? []);
  const mirror = await openMirror(unit, buried);
  const effects = new Map(buried.map((compiled) => [compiled.subject.uri, join(mirror.rows, compiled, options)]));
  await writeCounted(mirror, buried, touched);
  await appendEntries(
    unit,
    told.map((entry) => ({ ...entry, changes: effects.get(entry.subject_uri ?? '')?.changes ?? null })),
  );
  const ids = told.map(({ delivery_id }) => delivery_id as string);
  const placed = await knownEntries(unit, ids);
  const rows = Object.fromEntries([...touched].map(([table, uris]) => [table, uris.size]));
  const theirs = subjects.map(({ uri }) => uri);
  const alerts = await removeAlerts(unit, theirs);
  const named = wanted.target.kind === 'address' ? 1 : 0;
  return {
    subjects,
    addresses: { followed: found.addresses.size - named, left: found.left.size },
    removed: { rows, ...entries, alerts, staged_pages: await dropStagedPages(unit) },
    seqs: [...placed.values()].map(({ seq }) => seq as number).toSorted((a, b) => a - b),
  };
}

/** How many went. */
async function removeAlerts({ db }: Unit, uris: readonly string[]): Promise<number> {
  let removed = 0;
  for (let from = 0; from < uris.length; from += 500) {
    const some = uris.slice(from, from + 500);
    const { numDeletedRows } = await db.deleteFrom('alerts').where('subject_uri', 'in', some).executeTakeFirst();
    removed += Number(numDeletedRows);
  }
  return removed;
}
