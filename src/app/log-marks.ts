// Which entries of the log a process knows to have been committed. Pure.

export interface Mark {
  /** Its `delivery_id`, which an entry keeps whatever happens to it. */
  readonly entry: string;
  readonly atMs: number;
}

const everyMs = 1_000;
/** A server that takes over needs longer: what was committed last before it must not be forgotten. */
const pauseMs = 100;
/** A quarter of an hour. */
const mostMarks = 900;

/** The newest entry, one of each second before it, and the last one before each pause. */
export class MarkHistory {
  #marks: Mark[] = [];
  #newest: Mark | undefined;
  #checked: Mark | undefined;

  add(mark: Mark): void {
    const [last, newest] = [this.#marks.at(-1), this.#newest];
    if (newest && newest !== last) {
      const sinceLastMs = newest.atMs - (last?.atMs ?? Number.NEGATIVE_INFINITY);
      if (sinceLastMs >= everyMs || mark.atMs - newest.atMs >= pauseMs) this.#keep(newest);
    }
    this.#newest = mark;
  }

  #keep(mark: Mark): void {
    this.#marks.push(mark);
    if (this.#marks.length > mostMarks) this.#marks.shift();
  }

  get newest(): Mark | undefined {
    return this.#newest;
  }

  /** Those that were not found yet, and the last one that was: the log may have gone back to before it. */
  due(): readonly Mark[] {
    if (this.#newest && this.#newest !== this.#marks.at(-1)) this.#keep(this.#newest);
    return this.#marks.slice(this.#checked ? Math.max(0, this.#marks.indexOf(this.#checked)) : 0);
  }

  /** These were in the log. */
  found(marks: readonly Mark[]): void {
    this.#checked = marks.at(-1) ?? this.#checked;
  }

  /** Oldest first. */
  all(): readonly Mark[] {
    return this.#newest && this.#newest !== this.#marks.at(-1) ? [...this.#marks, this.#newest] : this.#marks;
  }

  /** Those that were lost are said once. */
  drop(isLost: (mark: Mark) => boolean): void {
    if (this.#newest && isLost(this.#newest)) this.#newest = undefined;
    if (this.#checked && isLost(this.#checked)) this.#checked = undefined;
    this.#marks = this.#marks.filter((mark) => !isLost(mark));
    this.#newest ??= this.#marks.at(-1);
  }
}

/** Since when entries are lost: the time of the newest that is left of those from before the first that is lost. */
export function lostSinceMs(marks: readonly Mark[], isLost: (mark: Mark) => boolean): number | undefined {
  const firstMs = Math.min(...marks.filter(isLost).map(({ atMs }) => atMs));
  const before = marks.filter((mark) => !isLost(mark) && mark.atMs < firstMs).map(({ atMs }) => atMs);
  return before.length > 0 ? Math.max(...before) : undefined;
}
