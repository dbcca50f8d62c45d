// `doctor`: looks at everything a mirror needs, and says for each thing that is wrong which command or setting mends it.
import { examine } from '#src/doctor/doctor.ts';
import type { Finding } from '#src/doctor/finding.ts';
import { asJson, defineVerb } from '#src/cli/verb.ts';

const marks = { well: '✓', doubtful: '!', ill: '✗' } as const;

export const doctor = defineVerb({
  arguments: {},
  options: { json: asJson },
  async run(context, { json }) {
    const findings = await examine({ config: context.config(), log: context.log(), now: context.now });
    if (json) context.out(JSON.stringify(findings));
    else for (const finding of findings) context.out(told(finding));
    return findings.every(({ state }) => state !== 'ill') ? 0 : 3;
  },
});

function told({ name, state, message, fix }: Finding): string {
  return `${marks[state]} ${name}: ${message}${fix ? `\n  → ${fix}` : ''}`;
}
