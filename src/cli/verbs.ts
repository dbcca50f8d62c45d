// The registry of verbs, in the order in which `--help` lists them. A verb's file is loaded only when the verb is named:
// `--help` stays fast, and a receiver does not load the sandbox.
import type { Verb } from './verb.ts';

export interface VerbEntry {
  readonly name: string;
  /** The heading in `--help`. */
  readonly group: 'Set up' | 'Run' | 'Look' | 'Fix' | 'Try';
  readonly summary: string;
  readonly load: () => Promise<Verb>;
}

export const verbs: readonly VerbEntry[] = [
  {
    name: 'login',
    group: 'Set up',
    summary: 'authorize Slotstream to call the service for a user (OAuth); once per user whose meeting recaps you want',
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    name: 'bootstrap',
    group: 'Set up',
    summary: 'create the webhook subscriptions that EVENTS requires',
    load: async () => (await import('./commands/bootstrap.ts')).bootstrap,
  },
  {
    name: 'backfill',
    group: 'Set up',
    summary: 'fill the tables with the records the service already has; resumes after an interruption',
    load: async () => (await import('./commands/backfill.ts')).backfill,
  },
  {
    name: 'settings',
    group: 'Set up',
    summary: 'show the settings that all processes of the mirror share, or change them',
    load: async () => (await import('./commands/settings.ts')).settings,
  },
  {
    name: 'start',
    group: 'Run',
    summary: 'receive deliveries and write them to the tables, in one process',
    load: async () => (await import('./commands/serve.ts')).start,
  },
  {
    name: 'receive',
    group: 'Run',
    summary: 'only receive deliveries; run many of these on one Redis or PostgreSQL queue',
    load: async () => (await import('./commands/serve.ts')).receive,
  },
  {
    name: 'work',
    group: 'Run',
    summary: 'only write deliveries to the tables; run many of these on one Redis or PostgreSQL queue',
    load: async () => (await import('./commands/serve.ts')).work,
  },
  {
    name: 'status',
    group: 'Look',
    summary: 'show what was received, what is queued and what the tables hold',
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    name: 'doctor',
    group: 'Look',
    summary: 'check keys, queue, store, disk, service, subscriptions, drift and alerts, with a fix for each problem',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'why',
    group: 'Look',
    summary: 'show every log entry that touched a row, what it changed, and which entry set each value',
    load: async () => (await import('./commands/why.ts')).why,
  },
  {
    name: 'feed',
    group: 'Look',
    summary: 'print the event log: a sentence per entry, JSON into a pipe; --follow waits for new entries',
    load: async () => (await import('./commands/feed.ts')).feed,
  },
  {
    name: 'export',
    group: 'Look',
    summary: 'write a table or view as CSV, NDJSON or Parquet, to a file or to object storage',
    load: async () => (await import('./commands/export.ts')).exportRows,
  },
  {
    name: 'alerts',
    group: 'Look',
    summary: 'test the alert channels, list alerts, resend failed ones',
    load: async () => (await import('./commands/alerts.ts')).alerts,
  },
  {
    name: 'mcp',
    group: 'Look',
    summary: 'let an AI model ask about the mirror (MCP over standard input and output)',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'reconcile',
    group: 'Fix',
    summary: 'compare the mirror with the service; name what is missing, extra or different, and repair it',
    load: async () => (await import('./commands/reconcile.ts')).reconcile,
  },
  {
    name: 'replay',
    group: 'Fix',
    summary: 'process log entries again: quarantined ones, those about one URI, or all',
    load: async () => (await import('./commands/replay.ts')).replay,
  },
  {
    name: 'rebuild',
    group: 'Fix',
    summary: 'recompute every table from the log and apply the differences',
    load: async () => (await import('./commands/replay.ts')).rebuild,
  },
  {
    name: 'erase',
    group: 'Fix',
    summary: 'erase a person from tables, log and quarantine, and print a receipt',
    load: async () => (await import('./commands/erase.ts')).erase,
  },
  {
    name: 'retention',
    group: 'Fix',
    summary: 'prune old bodies from the log now, by RETENTION_DAYS; workers do it once a day',
    load: async () => (await import('./commands/retention.ts')).retention,
  },
  {
    name: 'demo',
    group: 'Try',
    summary: 'see it work: a simulated service, its webhooks, and tables that fill, in a separate folder',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  {
    name: 'sandbox',
    group: 'Try',
    summary:
      'simulate the scheduling service on your machine: its API, its webhooks, and controls to make things happen',
    load: async () => (await import('./commands/sandbox.ts')).sandbox,
  },
  {
    name: 'trigger',
    group: 'Try',
    summary: 'sign and send realistic deliveries to a receiver',
    load: async () => (await import('./commands/trigger.ts')).trigger,
  },
];
