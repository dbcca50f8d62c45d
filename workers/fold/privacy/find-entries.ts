// Finds every log entry that an erasure concerns: entries about its subjects, entries that name them, and entries that contain an
// address of the person. An entry of the person adds a subject and further addresses, so the log is read until nothing is added.
import type { Store, Unit } from '#src/store/contract.ts';
import { entryTexts, lastSeq, type EntryText, type LogEntry } from '#src/store/log/read.ts';
import { entriesAt } from '#src/store/log/retention.ts';
import { reparse } from '#workers/fold/pipeline/parse.ts';
import type { MirrorTable } from '#workers/fold/projections/contract.ts';
import type { ErasedSubject } from '#workers/fold/projections/erasure.ts';
import { isAscii, normalAddress, normalText } from './addresses.ts';
import { erasedAddress, erasuresOf, type Erasures } from './erasure-index.ts';
import {
  addressesOf,
  findColleagues,
  isOfColleague,
  mostAddresses,
  tooManyAddresses,
  type Colleagues,
} from './linked-addresses.ts';
import { entryContainsAddress, erasedSubjectsIn, redactErased, timeOf } from './redact-fact.ts';
import { changesContainAddress } from './redact-log.ts';
import type { Target } from './target.ts';
import { hasEscapes } from './text-escapes.ts';

export interface Findings {
  /** Every record of the person, and the meetings they were invited to. */
  readonly subjects: Map<string, MirrorTable | null>;
  readonly addresses: Set<string>;
  /** Addresses in the person's records that belong to a colleague and were not followed. */
  readonly skipped: Set<string>;
  readonly seqs: Set<number>;
  /** The time of the newest fact that contains an address. */
  newest: string;
  /** The log was searched up to this entry. */
  searchedTo: number;
}

export interface ErasureRequest {
  readonly target: Target;
  /** Further addresses of the person are not followed. */
  readonly only: boolean;
  readonly key: string;
}

/** Later than any fact: everything stored now is erased, whatever its time. */
const endOfTime = '9999-12-31T23:59:59.999999Z';
const pageSize = 200;

export const initialFindings = (target: Target, subjects: readonly ErasedSubject[]): Findings => ({
  subjects: new Map(subjects.map(({ uri, table }) => [uri, table])),
  addresses: new Set(target.kind === 'address' ? [normalAddress(target.address)] : []),
  skipped: new Set(),
  seqs: new Set(),
  newest: '',
  searchedTo: 0,
});

/** A copy, so that a retried transaction starts from what was found before it. */
export const copyOf = (findings: Findings): Findings => ({
  ...findings,
  subjects: new Map(findings.subjects),
  addresses: new Set(findings.addresses),
  skipped: new Set(findings.skipped),
  seqs: new Set(findings.seqs),
});

/** Searches to the end of the log, and again from its start for as long as that adds a subject or an address. */
export async function searchLog(
  from: Store | Unit,
  request: ErasureRequest,
  options: { readonly findings: Findings; readonly onProgress?: ((entries: number) => void) | undefined },
): Promise<void> {
  const { findings, onProgress } = options;
  const upTo = await lastSeq(from);
  const colleagues = await findColleagues(from);
  const countFound = () => findings.subjects.size + findings.addresses.size;
  let read = 0;
  for (let before = -1; countFound() !== before;) {
    if (before >= 0) findings.searchedTo = 0;
    before = countFound();
    let erasures = erasuresFor(request, findings);
    while (findings.searchedTo < upTo) {
      const beforePage = countFound();
      const page = await entryTexts(from, { after: findings.searchedTo, upTo, limit: pageSize });
      const seqs = page.filter((entry) => mayConcern(findings, entry)).map(({ seq }) => seq);
      for (const entry of await entriesAt(from, seqs)) examine({ request, erasures, colleagues }, findings, entry);
      if (findings.addresses.size > mostAddresses) throw tooManyAddresses();
      if (countFound() > beforePage) erasures = erasuresFor(request, findings);
      findings.searchedTo = page.length < pageSize ? upTo : (page.at(-1)?.seq ?? upTo);
      read += page.length;
      onProgress?.(read);
    }
  }
}

function erasuresFor({ key }: ErasureRequest, { subjects, addresses }: Findings): Erasures {
  const hashes = [...addresses].map((address) => erasedAddress(key, { address, through: endOfTime }));
  return erasuresOf({ seq: 1, key, erased: [...[...subjects].map(([uri, table]) => ({ uri, table })), ...hashes] });
}

/** A cheap test without false negatives: most entries concern other people. */
function mayConcern({ subjects, addresses }: Findings, entry: EntryText): boolean {
  const { subject_uri: subject, body, encoding, changes } = entry;
  if (encoding !== null || (subject !== null && subjects.has(subject))) return true;
  const text = body + changes;
  if (text.includes('\\/') || hasEscapes(text) || containsAny(addresses, text)) return true;
  return subjects.size > 0 && (text.match(/https?:\/\/[^"\s\\]+/g) ?? []).some((uri) => subjects.has(uri));
}

/** A text outside ASCII may contain another form of the domain, so only the part before it is searched. */
function containsAny(addresses: ReadonlySet<string>, text: string): boolean {
  const normal = normalText(text);
  if (!normal.includes('@')) return false;
  const isWhole = isAscii(text);
  return [...addresses].some((address) =>
    normal.includes(isWhole ? address : address.slice(0, address.lastIndexOf('@') + 1)),
  );
}

interface SearchContext {
  readonly request: ErasureRequest;
  readonly erasures: Erasures;
  readonly colleagues: Colleagues;
}

function examine({ request, erasures, colleagues }: SearchContext, findings: Findings, entry: LogEntry): void {
  if (entry.source === 'operator') return;
  const item = reparse(entry);
  const own = erasedSubjectsIn(erasures, item);
  for (const { uri, table } of own) findings.subjects.set(uri, table);
  for (const address of request.only ? [] : addressesOf(item, own)) {
    const skips = !findings.addresses.has(address) && isOfColleague(colleagues, request.target, address);
    (skips ? findings.skipped : findings.addresses).add(address);
  }
  const hasAddress = entryContainsAddress(erasures, item);
  if (hasAddress && timeOf(item) > findings.newest) findings.newest = timeOf(item);
  const isConcerned = hasAddress || own.length > 0 || redactErased(erasures, item) !== item;
  if (isConcerned || changesContainAddress(erasures, entry.changes)) findings.seqs.add(entry.seq);
}
