// Reads the answer to a delivery off a connection: its status, and whether the connection is free again. Of an answer that does
// not plainly say where it ends only the status is read, and its connection is not used again.

/** `free`: read to its end. `spent`: the status is known, the connection is of no more use. `broken`: not HTTP. */
export type Reading = 'more' | 'free' | 'spent' | 'broken';

export interface AnswerReader {
  readonly status: number | null;
  read(chunk: Buffer): Reading;
}

const mostHeadBytes = 64 * 1024;
/** Longer bodies are not waited for: only the status counts. */
const mostBodyBytes = 64 * 1024;
const endOfHead = '\r\n\r\n';
const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |\r|$)/;
const emptyChunks = Buffer.from('0\r\n\r\n');

export function createAnswerReader(): AnswerReader {
  let unread: Buffer | undefined;
  let status: number | null = null;
  // Of the body, once its length is known.
  let remaining = 0;

  function readHead(bytes: Buffer): Reading {
    const end = bytes.indexOf(endOfHead);
    if (end < 0) {
      unread = bytes;
      return bytes.length > mostHeadBytes ? 'broken' : 'more';
    }
    const head = bytes.toString('latin1', 0, end);
    const [, minor, code] = statusLine.exec(head) ?? [];
    if (code === undefined) return 'broken';
    const rest = bytes.subarray(end + endOfHead.length);
    // An interim answer; the real one follows.
    if (code.startsWith('1')) return code === '101' ? 'broken' : readHead(rest);
    status = Number(code);
    if (minor === '0' || /\r\nconnection: *close/i.test(head)) return 'spent';
    return readBody(head, rest);
  }

  function readBody(head: string, rest: Buffer): Reading {
    if (status === 204 || status === 304) return rest.length === 0 ? 'free' : 'spent';
    if (/\r\ntransfer-encoding:/i.test(head)) return rest.equals(emptyChunks) ? 'free' : 'spent';
    const length = /\r\ncontent-length: *(\d{1,15}) *(?:\r|$)/i.exec(head)?.[1];
    if (length === undefined || Number(length) > mostBodyBytes) return 'spent';
    remaining = Number(length);
    return skip(rest);
  }

  function skip(bytes: Buffer): Reading {
    remaining -= bytes.length;
    return remaining > 0 ? 'more' : remaining === 0 ? 'free' : 'spent';
  }

  return {
    get status() {
      return status;
    },
    read(chunk) {
      if (status !== null) return skip(chunk);
      const bytes = unread === undefined ? chunk : Buffer.concat([unread, chunk]);
      unread = undefined;
      return readHead(bytes);
    },
  };
}
