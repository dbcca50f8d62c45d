// Asks for the address that the browser was sent to by a login, where nothing of ours listens.
import { SlotstreamError } from '#src/base/errors.ts';
import { stopped, type ReadRedirect } from '#src/upstream/oauth/redirect-listener.ts';
import type { VerbContext } from './verb.ts';

/** Asks again after an address that is not the answer to this login. */
export async function askForRedirect(
  { lines, notify }: Pick<VerbContext, 'lines' | 'notify'>,
  read: ReadRedirect,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  for await (const line of lines(signal)) {
    const result = read(line.trim());
    if (result.kind === 'code') return result.parameters;
    if (result.kind === 'denied') throw result.error;
    notify(`✗ ${problems[result.kind]}`);
    notify('→ Copy the whole address from the browser, from https:// to its end, and paste it here:');
  }
  if (signal.aborted) throw stopped();
  throw new SlotstreamError('stopped', 'The input ended before the address of the browser was pasted.', {
    hint: 'Run the command again, and paste the address or write it to the standard input of the command.',
  });
}

const problems = {
  elsewhere: 'This is not the redirect URI that the login was started with.',
  foreign: 'This address is not the answer to this login: its state or its issuer is missing or another.',
} as const;
