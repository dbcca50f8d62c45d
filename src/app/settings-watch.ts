// Follows what other processes change about the mirror while this one works: the settings that all share, and the schema.
//
//   every ten seconds ─▶ as before
//                     ├─▶ other settings: they are taken over
//                     └─▶ a newer schema: this process ends, because it must not write into it
import { isContention, isTransient, SlotstreamError } from '#src/base/errors.ts';
import { sleepUnlessAborted } from '#src/base/time.ts';
import type { Log } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import { reloadSettings } from '#src/store/settings-row.ts';
import { settingNames, variableOf, type SettingName, type StatedSettings } from '#src/store/shared-settings.ts';
import { readMark } from '#workers/fold/privacy/erasure-index.ts';

interface WatchNeeds {
  readonly store: Store;
  readonly stated: StatedSettings;
  readonly log: Log;
  /** Called after these settings have other values. */
  readonly onChanged: (names: readonly SettingName[]) => Promise<unknown>;
  /** Called once: a newer version has migrated the database. */
  readonly onOutdated: (error: SlotstreamError) => void;
}

/** Changes must reach every process within a minute; a transaction that folds entries notices them by itself. */
const everyMs = 10_000;

export class SettingsWatch implements AsyncDisposable {
  readonly #needs: WatchNeeds;
  readonly #stopping = new AbortController();
  #texts: Readonly<Record<SettingName, string>>;
  #running: Promise<void> | undefined;

  constructor(needs: WatchNeeds) {
    this.#needs = needs;
    this.#texts = needs.store.settings.texts;
  }

  start(): this {
    this.#running ??= this.#run();
    return this;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await sleepUnlessAborted(everyMs, this.#stopping.signal, { ref: false });
      if (this.#stopping.signal.aborted) return;
      try {
        await this.runOnce();
      } catch (error) {
        if (error instanceof SlotstreamError && error.code === 'store_version') return this.#needs.onOutdated(error);
        // An outage of the database has lines of its own.
        if (!isTransient(error) && !isContention(error))
          this.#needs.log.warn({ err: error }, 'the settings of the mirror could not be read');
      }
    }
  }

  async runOnce(): Promise<void> {
    const { store, stated, log, onChanged } = this.#needs;
    const { settings } = store;
    if ((await readMark(store)).revision !== settings.revision) await reloadSettings(store, settings);
    const [before, now] = [this.#texts, settings.texts];
    const names = settingNames.filter((name) => before[name] !== now[name]);
    if (names.length === 0) return;
    this.#texts = now;
    const values = Object.fromEntries(names.map((name) => [variableOf[name], now[name]]));
    log.info(values, 'the settings of the mirror have changed');
    for (const { variable, mirror } of settings.conflictsWith(stated, names))
      log.warn(
        `${variable} is ${mirror} now: set it in the environment of this process too, or it will not start again`,
      );
    await onChanged(names);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}
