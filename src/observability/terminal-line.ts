// One record of the log as a line for a terminal: `13:08:21 1 delivery applied: invitee.created (33 ms)`.
import { styleText } from 'node:util';

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A `summary` stands for the message and all fields. */
export function terminalLine(json: string): string {
  const { level, time, pid: _, msg, summary, ...fields }: Record<string, unknown> = JSON.parse(json);
  const clock = new Date(text(time)).toTimeString().slice(0, 8);
  const details = Object.entries(fields).map(([name, value]) => `${name}=${text(value)}`);
  const words = summary === undefined ? [text(msg), ...details] : [text(summary)];
  if (level !== 'info')
    words.unshift(styleText(level === 'warn' ? 'yellow' : 'red', text(level), { stream: process.stderr }));
  return `${clock} ${words.join(' ')}\n`;
}
