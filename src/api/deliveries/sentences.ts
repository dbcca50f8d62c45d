// A delivery as a sentence: who did what, from its body.
import { describeEvent, subjectName } from '#schemas/describe-event.ts';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { erasureEvent, isEventKind } from '#schemas/events.ts';
import type { EntryWithBody } from '#src/read/deliveries/delivery-tail.ts';

/** Reading the names of a person is not worth parsing a body that is larger. */
const maxBodyLength = 64 * 1024;

export function sentenceOf({ event, body, encoding, outcome, redacted }: EntryWithBody): string {
  if (event === null) return 'A delivery that could not be parsed';
  if (event === erasureEvent && outcome !== 'unhandled') return 'A person was erased';
  const [, deleted] = /^(\w+)\.gone$/.exec(event) ?? [];
  if (deleted !== undefined && outcome !== 'unhandled')
    return `The service no longer has the ${deleted.replaceAll('_', ' ')}`;
  if (redacted || body === null)
    return isEventKind(event) && event.endsWith('.deleted')
      ? describeEvent({ event, payload: {} })
      : `The content of ${event} was removed`;
  const payload = encoding === null && body.length <= maxBodyLength ? payloadIn(body) : {};
  if (isEventKind(event)) {
    const sentence = describeEvent({ event, payload });
    if (outcome !== 'quarantined') return sentence;
    return `Not applied: ${subjectName(payload) === undefined ? event : sentence}`;
  }
  const [, thing] = /^(\w+)\.read$/.exec(event) ?? [];
  if (thing === undefined) return `A delivery of the unknown kind ${event}`;
  const name = subjectName(payload);
  const kind = `${thing.charAt(0).toUpperCase()}${thing.slice(1).replaceAll('_', ' ')}`;
  return `${kind}${name === undefined ? '' : ` ${name}`} was read from the service`;
}

function payloadIn(body: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) && isObject(parsed['payload']) ? parsed['payload'] : {};
  } catch {
    return {};
  }
}
