// How a failure is told to a person: what happened, what to do. A stack only when it was asked for.
import { SlotstreamError } from '#src/base/errors.ts';
import { describeError } from '#src/observability/redact.ts';

export function complaintOf(error: unknown, { debug }: { readonly debug: boolean }): string {
  const told = describeError(error instanceof Error ? error : new Error('something that is no error was thrown'));
  const own = error instanceof SlotstreamError;
  // Our own message may have several lines (every complaint at once); those of others are cut to what is safe.
  const happened = own ? error.message : `${told.type}: ${told.message}`;
  const hint = own ? error.hint : 'Run it again with LOG_LEVEL=debug to see where it happened.';
  const where = debug && error instanceof Error ? framesOf(error) : [];
  return [
    ...happened.split('\n').map((line) => `✗ ${line}`),
    ...(hint === undefined ? [] : [`→ ${hint}`]),
    ...where,
  ].join('\n');
}

function framesOf(error: Error): readonly string[] {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return error.cause instanceof Error ? [...frames, `  because ${describeError(error.cause).message}`] : frames;
}
