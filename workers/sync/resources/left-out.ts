// What a traversal leaves out because the service does not let it be read. One list or record that is refused, invalid or unreachable
// never costs the others: it is reported, and everything else is read.
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import { isStatus } from '#src/upstream/api-error.ts';
import type { Notice } from './contract.ts';

const readFailures: ReadonlySet<string> = new Set(['refused', 'not_found', 'service_answer', 'service_unavailable']);

/** Whether the service, and nothing of ours, kept a list or a record from being read. */
export const isReadFailure = (error: unknown): error is SlotstreamError =>
  error instanceof SlotstreamError && readFailures.has(error.code);

/** Whether the service said no, where it answers others. */
export const isRefusal = (error: unknown): boolean => isStatus(error, 403) || isStatus(error, 404);

/** What is left out, and why. */
export interface LeftOut {
  readonly what: string;
  readonly error: Pick<SlotstreamError, 'message' | 'hint'>;
  /** A later run gets the same answer, until something is changed. */
  readonly isLasting: boolean;
}

export const leftOut = (what: string, error: SlotstreamError): LeftOut => ({
  what,
  error: { message: error.message, hint: error.hint },
  isLasting: !isTransient(error),
});

export const leftOutIn = (notices: readonly Notice[] = []): readonly LeftOut[] =>
  notices.flatMap((notice) => (notice.kind === 'left_out' ? [leftOut(notice.list, notice.error)] : []));

/** `GET /contacts: the service answered 403 … → what to do`. */
export const failureText = ({ message, hint }: LeftOut['error']): string =>
  hint === undefined ? message : `${message} → ${hint}`;

export const leftOutText = ({ what, error }: Pick<LeftOut, 'what' | 'error'>): string =>
  `${what}: ${failureText(error)}`;

interface Openable {
  open(from: undefined): AsyncGenerator;
}

/**
 * The notice for a record, or a list within another, that could not be read. Throws where the service itself may be down, which the list
 * around it tells: then everything is tried again later.
 */
export async function noticeOf(
  list: string,
  error: unknown,
  { around, isRest = false }: { readonly around: Openable; readonly isRest?: boolean },
): Promise<Notice> {
  if (!isReadFailure(error)) throw error;
  if (isTransient(error) && !(await answers(around))) throw error;
  return { kind: 'left_out', list, error, ...(isRest && { isRest }) };
}

/** Whether the service answers the first page, with a refusal or otherwise. */
export async function answers({ open }: Openable): Promise<boolean> {
  try {
    await open(undefined).next();
    return true;
  } catch (error) {
    if (!isReadFailure(error)) throw error;
    return !isTransient(error);
  }
}
