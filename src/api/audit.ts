// Records what operators do, in the table `admin_actions`. An action is recorded before it is run, so that none is done without a record, and how it ended is added
// before it is answered:
//   begun (`status` null) ──answered──▶ ended (`status`, counts)        refused with the read-only token ──▶ `status` 403
// A row that stays without a status belongs to a process that ended meanwhile.
import { randomUUID } from 'node:crypto';
import { isObject } from '#schemas/wire.ts';
import { hourMs, instantOf } from '#src/base/time.ts';
import type { Caller } from '#src/api/auth/browser.ts';
import { startOf } from '#src/api/auth/access-log.ts';
import { endAction, insertAction, pruneActions } from '#src/store/admin-actions.ts';
import type { Json } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { safeText } from '#src/observability/redact.ts';
import type { ApiOperation } from './api-operation.ts';

export interface AuditNeeds {
  readonly store: Store;
  clock(): number;
  /** Receives a failure to record that no caller is answered with. */
  report(error: unknown): void;
}

export interface ActionInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface Audit {
  /** Fails when the action cannot be recorded; it must not be run then. The result adds how it ended, and never fails. */
  begin(
    operation: Pick<ApiOperation, 'id'>,
    caller: AnyCaller | undefined,
    input: ActionInput,
  ): Promise<(status: number, answer?: unknown) => Promise<void>>;
  /** Records an attempt that was refused; never fails. */
  refused(caller: Caller, request: { readonly method: string; readonly path: string }): Promise<void>;
}

/** A caller that can only read must not be able to fill the table; the log has a line for each. */
const maxRefusedPerHour = 100;
/** How many records a process writes before it deletes old ones again. */
const pruneEvery = 500;

/** A program that calls the operations in its own process. */
const unknownCaller = { who: 'unknown', address: '' } as const;
type AnyCaller = Caller | typeof unknownCaller;

export function createAudit(
  { store, clock, report }: AuditNeeds,
  operations: readonly Pick<ApiOperation, 'id' | 'method' | 'path'>[],
): Audit {
  const known = operations.map(({ id, method, path }) => ({
    id,
    method,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
  }));
  let written = 0;
  let refusals = { sinceMs: 0, count: 0 };

  async function insert(
    { who, address }: AnyCaller,
    action: { operation: string; target: string | null; input: Json; status: number | null },
  ): Promise<string> {
    const id = randomUUID();
    await insertAction(store, { id, at: instantOf(clock()), caller: who, address, ...action, result: null });
    written += 1;
    if (written % pruneEvery === 1) await pruneActions(store, clock()).catch(report);
    return id;
  }

  return {
    async begin(operation, caller = unknownCaller, { params, query, body }) {
      const target = targetOf(isObject(params) ? Object.values(params) : []);
      const input = withoutPeople({ ...asObject(query), ...asObject(body) });
      const id = await insert(caller, { operation: operation.id, target, input, status: null });
      return (status, answer) => endAction(store, { id, status, result: countsIn(answer) }).catch(report);
    },
    async refused(caller, { method, path }) {
      if (clock() - refusals.sinceMs >= hourMs) refusals = { sinceMs: clock(), count: 0 };
      refusals.count += 1;
      if (refusals.count > maxRefusedPerHour) return;
      const operation = known.find((each) => each.method === method && each.pattern.test(path));
      const target = targetOf(operation?.pattern.exec(path)?.slice(1) ?? []);
      const name = operation?.id ?? `${safeText(method)} ${startOf(path)}`.trim();
      await insert(caller, { operation: name, target, input: null, status: 403 }).catch(report);
    },
  };
}

const asObject = (value: unknown): object => (isObject(value) ? value : {});

const maxTarget = 300;

function targetOf(ids: readonly unknown[]): string | null {
  const text = ids.map((id) => safeText(String(id))).join(' ');
  return text === '' ? null : text.slice(0, maxTarget);
}

/** Fields whose text names a kind, a state or a record, and never a person. */
const plainFields =
  /(?:^|_)(?:id|uri|invitee|answer|event|events|kind|outcome|source|subject|reason|rule|channel|state|status|scope|since|until|before|after|from|to|where|select|order)$/;
const hidden = '[hidden]';
const maxFields = 20;
const maxText = 300;

/** The options of an action. Any other text may be about a person, such as a search: it is recorded that there was one. */
function withoutPeople(input: object, prefix = ''): { [key: string]: Json } | null {
  const fields = Object.entries(input).flatMap(([key, value]): [string, Json][] => {
    const name = prefix + key;
    if (value === undefined || value === null) return [];
    if (typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
    if (Array.isArray(value)) return [[name, plainList(key, value) ?? `${value.length} values`]];
    if (isObject(value)) return Object.entries(withoutPeople(value, `${name}.`) ?? {});
    return [[name, plainFields.test(key) ? safeText(String(value)).slice(0, maxText) : hidden]];
  });
  return fields.length === 0 ? null : Object.fromEntries(fields.slice(0, maxFields));
}

const plainList = (key: string, values: readonly unknown[]): string | undefined =>
  plainFields.test(key) && values.length <= maxFields ? safeText(values.join(', ')).slice(0, maxText) : undefined;

/**
 * The numbers, flags and outcomes of an answer; what else it holds may be about a person. Of a record with a part of its own about the
 * action (`replay`), only that part.
 */
function countsIn(answer: unknown): { [key: string]: Json } | null {
  const whole = asObject(answer);
  const record = 'resource' in whole ? asObject(whole.resource) : whole;
  const parts = Object.entries(record).filter(([key, value]) => isObject(value) && !others.includes(key));
  const inner = parts.flatMap(([, value]) => countsOf(asObject(value)));
  const counts = inner.length > 0 ? inner : countsOf(record);
  return counts.length === 0 ? null : Object.fromEntries(counts.slice(0, maxFields));
}

const countsOf = (record: object): [string, Json][] =>
  Object.entries(record).flatMap(([key, value]): [string, Json][] => {
    if (typeof value === 'number' || typeof value === 'boolean') return [[key, value]];
    return typeof value === 'string' && /outcome|state$/.test(key) ? [[key, value.slice(0, maxText)]] : [];
  });

/** Parts of an answer that hold what the service sent, or repeat what the caller did. */
const others = ['changes', 'payload', 'row', 'custom_fields', 'filter'];
