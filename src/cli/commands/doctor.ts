// `doctor`: checks everything a mirror needs. For each problem it prints the command or setting that fixes it.
import { examine } from '#src/doctor/doctor.ts';
import type { Finding } from '#src/doctor/check.ts';
import { asJson, defineVerb } from '#src/cli/verb.ts';

const marks = { well: '✓', doubtful: '!', ill: '✗' } as const;

export const doctor = defineVerb({
  arguments: {},
  options: { json: asJson },
  async run(context, { json }) {
    const findings = await examine({ config: context.config(), log: context.log(), now: context.now });
    if (json) context.out(JSON.stringify(findings));
    else for (const finding of findings) context.out(findingText(finding));
    return findings.every(({ state }) => state !== 'ill') ? 0 : 3;
  },
});

const findingText = ({ name, state, message, fix }: Finding): string =>
  `${marks[state]} ${name}: ${message}${fix ? `\n  → ${fix}` : ''}`;
