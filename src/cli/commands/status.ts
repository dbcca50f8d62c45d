// `status`: reports on the running process; where none runs, on the mirror alone.
import { runningLoginLink, askRunning, openAdminToken } from '#src/api/running-instance.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { statusText } from '#src/cli/status-text.ts';
import { asJson, defineVerb, flag, type VerbContext } from '#src/cli/verb.ts';

export const status = defineVerb({
  arguments: {},
  examples: ['slotstream status', 'slotstream status --login'],
  options: {
    login: { flags: '--login', help: 'print only the link that logs a browser in', reads: flag },
    json: asJson,
  },
  async run(context, { login, json }) {
    const config = context.config();
    if (login) {
      const link = await runningLoginLink(config.dataDir, () => openAdminToken(config));
      context.out(json ? JSON.stringify({ login_url: link }) : link);
      return 0;
    }
    const report = await readStatus(context);
    context.out(json ? JSON.stringify(report) : statusText(report));
    return 0;
  },
});

async function readStatus(context: VerbContext): Promise<object> {
  const config = context.config();
  try {
    const [answer] = await askRunning(config.dataDir, { token: () => openAdminToken(config), path: '/api/status' });
    return { running: true, ...(typeof answer === 'object' ? answer : {}) };
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'not_running') throw error;
    return { running: false, ...(await readMirrorStatus(context)) };
  }
}

async function readMirrorStatus(context: VerbContext): Promise<object> {
  // Loaded only here: asking a running process needs no store.
  const { mirrorStatus, openMirror } = await import('#src/app/mirror.ts');
  try {
    await using store = await openMirror(context.config(), context.log());
    return await mirrorStatus(store);
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'no_mirror') throw error;
    context.notify(`! ${error.message}\n→ ${error.hint}`);
    return { store: { state: 'no mirror yet' } };
  }
}
