// The log: JSON lines (pretty on a terminal) without personal data and secrets, whatever a caller passes.
import { styleText } from 'node:util';
import pino from 'pino';
import type { DestinationStream, Level, Logger } from 'pino';
import { describeError, safeFields, safeText } from './redact.ts';

export type Log = Logger;

export interface LogOptions {
  readonly level: string;
  readonly pretty: boolean;
  /** Where the lines are written; standard error by default, because standard output is for data. */
  readonly destination?: DestinationStream;
}

export function createLog({ level, pretty: forPeople, destination }: LogOptions): Log {
  // Written synchronously: the last lines before a crash are the most important ones.
  const sink = destination ?? pino.destination({ dest: 2, sync: true });
  const stream = forPeople ? { write: (line: string) => void sink.write(terminalLine(line)) } : sink;
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      // `formatters.log` runs first and turns errors into safe objects; the serializer must not touch them again.
      serializers: { err: (value: unknown) => value },
      formatters: {
        level: (label) => ({ level: label }),
        // A summary repeats the fields in words.
        log: ({ summary, ...fields }) => safeFields(forPeople && summary !== undefined ? { summary } : fields),
      },
      hooks: {
        logMethod(args, method) {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- mapping keeps the number and order of the arguments
          method.apply(this, args.map(safeArgument) as typeof args);
        },
      },
    },
    stream,
  );
  // pino runs no formatter over the fields of a child, so they are made safe here; children inherit this method.
  const { child } = log;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- pino's type is generic over custom levels, which are not used
  log.child = function safeChild(this: Log, bindings: object) {
    return child.call(this, safeFields(bindings));
  } as typeof child;
  return log;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `13:08:21 1 delivery applied: invitee.created (33 ms)`. A `summary` stands for the message and all fields. */
function terminalLine(json: string): string {
  const { level, time, pid: _, msg, summary, ...fields }: Record<string, unknown> = JSON.parse(json);
  const clock = new Date(text(time)).toTimeString().slice(0, 8);
  const details = Object.entries(fields).map(([name, value]) => `${name}=${text(value)}`);
  const words = summary === undefined ? [text(msg), ...details] : [text(summary)];
  if (level !== 'info')
    words.unshift(styleText(level === 'warn' ? 'yellow' : 'red', text(level), { stream: process.stderr }));
  return `${clock} ${words.join(' ')}\n`;
}

// pino uses the message of a bare error as the line's own message, so the error is made safe before pino sees it.
function safeArgument(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (!(value instanceof Error)) return value;
  const err = describeError(value);
  return { err, msg: err.message };
}

/**
 * Logs the same message at most once every `everyMs`; the next line has the number of suppressed ones in `alsoHappened`. Messages with the
 * same `key` count as the same.
 */
export type ThrottledLog = (level: Level, message: string, fields?: object, key?: string) => void;

// Messages are constant, so few keys are normal; the limit only guards against a caller that puts data in them.
const maxMessages = 200;

export function throttled(log: Log, everyMs: number, now: () => number = () => performance.now()): ThrottledLog {
  const logged = new Map<string, { at: number; alsoHappened: number }>();
  return (level, message, fields = {}, key = message) => {
    const last = logged.get(key);
    if (last !== undefined && now() - last.at < everyMs) {
      last.alsoHappened += 1;
      return;
    }
    if (last === undefined && logged.size >= maxMessages) logged.clear();
    logged.set(key, { at: now(), alsoHappened: 0 });
    log[level](last?.alsoHappened ? { ...fields, alsoHappened: last.alsoHappened } : fields, message);
  };
}
