// Erases a person from every row and every log entry, in one transaction that also records the erasure in the log. From then on no
// fact, whenever it arrives, restores the person.
//
//   search the log                    (writers continue)
//   ┌ transaction: writers wait
//   │ search what arrived meanwhile
//   │ entries ← without the person;  rows ← what those entries say now
//   │ log     ← person.erased, one per subject and one per address
//   └ commit
import { lockLog } from '#src/store/locks.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { dryRunStore } from '#src/store/open-store.ts';
import { appendEntries, knownEntries } from '#src/store/log/append.ts';
import { fold } from '#workers/fold/pipeline/fold.ts';
import { blankEntry, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import { alreadyScreened } from '#workers/fold/pipeline/screen.ts';
import { mirrorTables } from '#workers/fold/projections/contract.ts';
import { erasureEntry, factOfErasure, type ErasureTarget } from '#workers/fold/projections/erasure.ts';
import { merge } from '#workers/fold/projections/merge.ts';
import { addressHash } from './addresses.ts';
import { erasedAddress, erasuresOf, makeKey, readErasures, readKey } from './erasure-index.ts';
import { copyOf, initialFindings, searchLog, type ErasureRequest, type Findings } from './find-entries.ts';
import type { Receipt } from './receipt.ts';
import { noteChanged, redactLog, type ChangedRows } from './redact-log.ts';
import { isStored, subjectsOf, type Target } from './target.ts';

export interface EraseNeeds {
  readonly store: Store;
  /** Makes the key of address hashes; called once in the lifetime of a store. */
  readonly newKey: () => string;
  readonly onProgress?: (entries: number) => void;
}

export interface EraseInput {
  /** On our clock, six digits. */
  readonly now: string;
  readonly dryRun?: boolean;
  /** The person's further addresses are not followed. */
  readonly only?: boolean;
}

export async function erase(needs: EraseNeeds, target: Target, input: EraseInput): Promise<Receipt> {
  const { now, dryRun = false, only = false } = input;
  const subjects = await subjectsOf(needs.store, target);
  const request: ErasureRequest = { target, only, key: await keyFor(needs, target, { dryRun, only }) };
  const findings = initialFindings(target, subjects);
  await searchLog(needs.store, request, { findings, onProgress: needs.onProgress });
  const { transaction } = dryRun ? dryRunStore(needs.store) : needs.store;
  const done = await transaction(async (unit) => {
    await unit.engine.lockTables(unit.db, mirrorTables);
    await lockLog(unit);
    const found = copyOf(findings);
    await searchLog(unit, request, { findings: found });
    // Before any change: erasing a contact creates a row, even for an unknown URI.
    const known = target.kind === 'uri' ? await isStored(unit, target.uri) : found.seqs.size + found.subjects.size > 0;
    return { known, ...(await carryOut(unit, { request, found, now })) };
  });
  // The columns of `contacts_wide` repeat the labels of custom fields.
  if (!dryRun && 'custom_field_definitions' in done.removed.rows) await needs.store.refreshViews();
  const erased = target.kind === 'uri' ? { uri: target.uri } : { email_hash: addressHash(request.key, target.address) };
  return { erased, at: now, dry_run: dryRun, ...done };
}

/** A dry run stores nothing, not even a key. */
async function keyFor(
  { store, newKey }: EraseNeeds,
  { kind }: Target,
  { dryRun, only }: Required<Pick<EraseInput, 'dryRun' | 'only'>>,
): Promise<string> {
  const existing = await readKey(store);
  if (existing !== undefined || (kind === 'uri' && only)) return existing ?? '';
  if (dryRun) return newKey();
  return store.transaction((unit) => makeKey(unit, newKey));
}

interface Order {
  readonly request: ErasureRequest;
  readonly found: Findings;
  readonly now: string;
}

type ErasureResult = Pick<Receipt, 'subjects' | 'addresses' | 'removed' | 'seqs'>;

async function carryOut(unit: Unit, { request, found, now }: Order): Promise<ErasureResult> {
  await unit.engine.noteRedaction(unit.db);
  const { key } = request;
  const earlier = await readErasures(unit);
  const current = erasuresOf({ seq: 1, key, erased: earlier });
  const subjects = [...found.subjects].map(([uri, table]) => ({ uri, table }));
  const through = found.newest > now ? found.newest : now;
  const hashes = [...found.addresses].map((address) => erasedAddress(key, { address, through }));
  const isAdded = (one: ErasureTarget) =>
    'uri' in one ? !current.subjects.has(one.uri) : one.through > (current.addresses.get(one.email_hash) ?? '');
  const added = [...subjects, ...hashes].filter(isAdded);

  const changedRows: ChangedRows = new Map();
  const erasures = erasuresOf({ seq: 1, key, erased: [...earlier, ...added] });
  const entries = await redactLog(unit, erasures, { seqs: found.seqs, changedRows });
  const seqs = await recordErasures(unit, added, { now, changedRows });
  const alerts = await removeAlerts(
    unit,
    subjects.map(({ uri }) => uri),
  );
  const rows = Object.fromEntries([...changedRows].map(([table, uris]) => [table, uris.size]));
  const named = request.target.kind === 'address' ? 1 : 0;
  return {
    subjects,
    addresses: { followed: found.addresses.size - named, left: found.skipped.size },
    removed: { rows, ...entries, alerts },
    seqs,
  };
}

/** Appends the erasures to the log and turns erased contacts into tombstones. Returns the positions of the entries. */
async function recordErasures(
  unit: Unit,
  added: readonly ErasureTarget[],
  { now, changedRows }: { readonly now: string; readonly changedRows: ChangedRows },
): Promise<readonly number[]> {
  const items: ParsedItem[] = added.map((erased) => {
    const entry = erasureEntry(erased, { at: now, base: blankEntry });
    return { entry, record: null, fact: factOfErasure(entry.body) };
  });
  const { report } = await fold(unit, alreadyScreened(items), {
    apply: (rows, fact) => merge(rows, fact, { eraseOnDelete: true }),
    locksLog: false,
    async record(_unit, folded, rows) {
      noteChanged(rows, changedRows);
      await appendEntries(
        unit,
        folded.map(({ item, effect }) => ({ ...item.entry, changes: effect?.changes ?? null })),
      );
      return knownEntries(
        unit,
        items.map(({ entry }) => entry.delivery_id),
      );
    },
  });
  return [...report.values()].map(({ seq }) => seq).toSorted((a, b) => a - b);
}

async function removeAlerts({ db }: Unit, uris: readonly string[]): Promise<number> {
  let removed = 0;
  for (let from = 0; from < uris.length; from += 500) {
    const some = uris.slice(from, from + 500);
    const { numDeletedRows } = await db.deleteFrom('alerts').where('subject_uri', 'in', some).executeTakeFirst();
    removed += Number(numDeletedRows);
  }
  return removed;
}
