// `status`: how the running process stands; where none runs, how the store stands.
import { askLoginLink, askRunning } from '#src/api/running-instance.ts';
import { openAdminToken } from '#src/api/auth/token.ts';
import { openStoreLoudly, standingOf } from '#src/app/app.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { renderTable } from '#src/cli/table.ts';
import { asJson, defineVerb, flag, type VerbContext } from '#src/cli/verb.ts';

export const status = defineVerb({
  name: 'status',
  summary: 'show what is received, queued and projected',
  arguments: {},
  examples: ['slotstream status', 'slotstream status --login'],
  options: {
    login: { flags: '--login', help: 'print the link that logs a browser in, and nothing else', reads: flag },
    json: asJson,
  },
  async run(context, { login, json }) {
    if (login) {
      const config = context.config();
      const link = await askLoginLink(config.dataDir, () => openAdminToken(config));
      context.out(json ? JSON.stringify({ login_url: link }) : link);
      return 0;
    }
    const found = await statusOf(context);
    if (json) context.out(JSON.stringify(found));
    else context.out(renderTable(['what', 'value'], linesOf(found)));
    return 0;
  },
});

async function statusOf(context: VerbContext): Promise<object> {
  const config = context.config();
  try {
    const answer = await askRunning(config.dataDir, { token: () => openAdminToken(config), path: '/api/status' });
    return { running: true, ...(answer as object) };
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'not_running') throw error;
    return { running: false, ...(await standingHere(context)) };
  }
}

async function standingHere(context: VerbContext): Promise<object> {
  try {
    await using store = await openStoreLoudly(context.config(), context.log());
    return await standingOf(store);
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'no_mirror') throw error;
    context.say(`! ${error.message}\n→ ${error.hint}`);
    return { store: { state: 'no mirror yet' } };
  }
}

/** `{store: {rows: {contacts: 3}}}` → `store rows contacts  3` */
function linesOf(value: object, path: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) => {
    const here = [...path, key];
    if (typeof part === 'object' && part !== null) return linesOf(part, here);
    return [[here.join(' ').replaceAll('_', ' '), part === null ? '–' : String(part)]];
  });
}
