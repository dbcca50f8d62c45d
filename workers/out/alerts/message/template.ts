// Templates of rules, in Liquid. They see only the given values, no files and no prototypes, and their time and memory are limited.
import { Liquid } from 'liquidjs';

const engine = new Liquid({
  ownPropertyOnly: true,
  strictFilters: true,
  // Partials come from here: there are none, and no folder is read.
  templates: {},
  parseLimit: 10_000,
  // Wall-clock time: far above any template's own, so that a busy machine does not change what a message says.
  renderLimit: 1_000,
  memoryLimit: 100_000,
});

/** Every variable of templates; docs/alerts.md describes them. */
export const templateVariables = [
  'title',
  'text',
  'rule',
  'kind',
  'on',
  'subject',
  'occurred_at',
  'link',
  'name',
  'first_name',
  'last_name',
  'email',
  'company',
  'event',
  'event_type',
  'host',
  'when',
  'timezone',
  'invitee_time',
  'start_time',
  'end_time',
  'times',
  'notice',
  'reason',
  'reschedule_url',
  'utm',
  'contact',
  'form',
  'answers',
] as const;

const sample: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(templateVariables.map((name) => [name, 'sample'])),
  utm: {},
  contact: {},
  answers: {},
};

/** The fields of `contact` that a template names. */
export function contactFieldsIn(template: string): readonly string[] {
  const paths = engine.globalVariableSegmentsSync(template);
  return paths.flatMap(([variable, field]) => (variable === 'contact' && typeof field === 'string' ? [field] : []));
}

/** Describes what is wrong with a template; undefined when nothing is. */
export async function checkTemplate(template: string): Promise<string | undefined> {
  try {
    const parsed = engine.parse(template);
    const names = (await engine.globalVariables(parsed)).map(String);
    const known: readonly string[] = templateVariables;
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0) return `unknown variable ${unknown.join(', ')}`;
    engine.renderSync(parsed, sample);
    return undefined;
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : '').split('\n', 1);
    return `not a valid Liquid template: ${first.slice(0, 200)}`;
  }
}

/**
 * Returns undefined when the template fails with these values. Rendering is synchronous: the time limit must not include what the process
 * does meanwhile.
 */
export function renderTemplate(template: string, variables: Readonly<Record<string, unknown>>): string | undefined {
  try {
    return String(engine.parseAndRenderSync(template, variables));
  } catch {
    return undefined;
  }
}
