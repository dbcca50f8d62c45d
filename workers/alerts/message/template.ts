// Templates of rules, in Liquid: they see the values they are given and nothing else, no file, no prototype, and may not take long.
import { Liquid } from 'liquidjs';

const engine = new Liquid({
  ownPropertyOnly: true,
  strictFilters: true,
  // Partials are looked for in here: there are none, and no folder is read.
  templates: {},
  parseLimit: 10_000,
  renderLimit: 100,
  memoryLimit: 100_000,
});

/** Every name a template may use, as docs/alerts.md explains them. */
export const templateVariables = [
  'title',
  'text',
  'rule',
  'kind',
  'subject',
  'occurred_at',
  'link',
  'name',
  'first_name',
  'last_name',
  'email',
  'event',
  'event_type',
  'host',
  'when',
  'timezone',
  'start_time',
  'end_time',
  'times',
  'notice',
  'reason',
  'utm',
  'contact',
] as const;

const sample: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(templateVariables.map((name) => [name, 'sample'])),
  utm: {},
  contact: {},
};

/** What is wrong with a template, for whoever wrote it; undefined when nothing is. */
export async function templateComplaint(template: string): Promise<string | undefined> {
  try {
    const parsed = engine.parse(template);
    const names = (await engine.globalVariables(parsed)).map(String);
    const strange = names.filter((name) => !(templateVariables as readonly string[]).includes(name));
    if (strange.length > 0) return `a template of known variables: there is no ${strange.join(', ')}`;
    await engine.render(parsed, sample);
    return undefined;
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : '').split('\n', 1);
    return `a Liquid template: ${first.slice(0, 200)}`;
  }
}

/** Undefined when it fails with these values. */
export async function renderTemplate(
  template: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  try {
    return String(await engine.parseAndRender(template, variables));
  } catch {
    return undefined;
  }
}
