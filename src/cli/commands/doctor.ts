// `doctor`: checks everything a mirror needs. For each problem it prints the command or setting that fixes it.
import { examine } from '#src/doctor/doctor.ts';
import { checkText } from '#src/cli/status-text.ts';
import { asJson, defineVerb } from '#src/cli/verb.ts';

export const doctor = defineVerb({
  arguments: {},
  options: { json: asJson },
  async run(context, { json }) {
    const found = await examine({ config: context.config(), log: context.log(), now: context.now });
    if (json) context.out(JSON.stringify(found));
    else for (const check of found) context.out(checkText(check));
    return found.every(({ state }) => state !== 'problem') ? 0 : 3;
  },
});
