// `status`: reports on the running processes and the mirror; what does not answer is named, and the rest is shown.
import { demoFolder, openAdminToken, runningLoginLink, runsDemo } from '#src/api/running-instance.ts';
import { slotstream } from '#src/base/command.ts';
import { readStatus } from '#src/app/read-status.ts';
import { statusText } from '#src/cli/status-text.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

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
    const needs = { config, log: context.log(), now: context.now };
    const { running, status: read, processes, nowMs, health, problem } = await readStatus(needs);
    const report = { running, ...read, ...(processes.length > 0 && { processes }), health };
    context.out(json ? JSON.stringify(report) : statusText({ ...report, processes }, nowMs));
    if (!running && runsDemo(config.dataDir))
      context.notify(`→ A demo is running: DATA_DIR=${demoFolder(config.dataDir)} ${slotstream} status`);
    if (problem) context.notify(`! ${problem.message}\n→ ${problem.hint}`);
    return problem?.code === 'store_unavailable' ? 1 : 0;
  },
});
