// The groups in which people see the settings, in this order: in .env.example, in docs/configuration.md and on the page of settings.

const groups: Readonly<Record<string, RegExp>> = {
  'Set these': /^(API_TOKEN|PUBLIC_URL)$/,
  'Where data is stored': /^(DATA|QUEUE|DISK_LOG|MIN_FREE)/,
  'Account at the service': /^(API|OAUTH|AUTH|ORGANIZATION|USER|GROUP|EVENTS)/,
  Webhooks: /^(HOST|PORT|SIGN|ALLOW_UNSIGNED|MAX_BODY)/,
  'Dashboard, API, metrics and AI models': /^(ADMIN|MCP|METRICS)/,
  'Comparison with the service': /^(RECONCILE|SWEEP|POLL|WATCH)/,
  'Data and privacy': /^(ERASE|RETENTION|REPORT|CONTACT|CURRENCY)/,
  Alerts: /^(ALERT|ANSWERS)/,
  Feed: /^FEED/,
  'Exports to object storage': /^AWS/,
  Other: /^/,
};

export const groupOf = (name: string): string =>
  Object.entries(groups).find(([, names]) => names.test(name))?.[0] ?? 'Other';

/** The settings of each group; groups without any are left out. */
export const groupedSettings = <Value>(
  values: readonly Value[],
  nameOf: (value: Value) => string,
): readonly (readonly [group: string, values: readonly Value[]])[] =>
  Object.keys(groups)
    .map((group) => [group, values.filter((value) => groupOf(nameOf(value)) === group)] as const)
    .filter(([, those]) => those.length > 0);
