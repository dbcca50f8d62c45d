// Giving up because the caller says so: always an error, whatever the signal was aborted with.

export function stopIfAsked(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw signal.reason instanceof Error ? signal.reason : new DOMException('The work was stopped.', 'AbortError');
}
