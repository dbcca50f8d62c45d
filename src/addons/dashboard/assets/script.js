// The one script of the dashboard: live updates, keys, theme, copying, times in the zone of the browser. Every page works without it.
// It knows pages by these attributes only, and never makes markup of text:
//   main[data-live][data-seq]  asks for its address again when the log has an entry after data-seq, and every 15 seconds
//   [data-rows]                a list: new rows wait behind a chip ("12 new") while it is scrolled, hovered, focused or selected
//   [data-key], [id]           the same row or part in both versions of a page; what did not change is not touched
//   [data-href]                a row that a click or Enter opens, and j and k reach
//   [data-action]              a button: live, theme, help
//   [data-copy]                a button: copies the value of the attribute, or else the <pre> beside it
//   a[data-search]             where a search continues that has found nothing yet
//   time[datetime]             an instant whose text ends with UTC
//   [name=timezone][data-unset]  the zone of a form, which becomes that of the browser: also in [data-zone], and in fields with [data-instant]
(() => {
  'use strict';
  const root = document.documentElement;
  root.dataset.script = '';

  // Theme: before the page is painted. A browser that forbids storage has that of the system.
  const stored = (name, value) => {
    try {
      if (value === undefined) return localStorage.getItem(name) ?? '';
      if (value === '') localStorage.removeItem(name);
      else localStorage.setItem(name, value);
    } catch {}
    return value ?? '';
  };
  const themes = ['', 'light', 'dark'];
  const showTheme = (theme) => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  showTheme(stored('theme'));
  const nextTheme = () => {
    const theme = themes[(themes.indexOf(root.dataset.theme ?? '') + 1) % themes.length];
    showTheme(stored('theme', theme));
    say(`Theme: ${theme || 'as the system'}`);
  };

  const make = (tag, properties = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) element[name] = value;
    element.append(...children);
    return element;
  };

  // One quiet line at the bottom.
  let line;
  let lineTimer;
  const say = (text, stays = false) => {
    line ??= document.body.appendChild(make('p', { className: 'announcement', role: 'status' }));
    clearTimeout(lineTimer);
    line.replaceChildren(text);
    if (text !== '' && !stays) lineTimer = setTimeout(say, 2500, '');
  };

  const isSame = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);
  const keyOf = (node) => node.dataset?.key ?? (node.id || undefined);
  /** Makes `from` equal to `to`. Lists in `held` get no new rows and lose none. */
  function morph(from, to, held) {
    if (from.isEqualNode(to)) return;
    if (from.nodeType !== 1 || !isSame(from, to)) return void from.replaceWith(to);
    // A form that is being filled in.
    if (from.matches('form, input, select, textarea') && from.contains(document.activeElement)) return;
    // People open and close the details of a page.
    for (const { name } of Array.from(from.attributes))
      if (!to.hasAttribute(name) && name !== 'open') from.removeAttribute(name);
    for (const { name, value } of to.attributes)
      if (from.getAttribute(name) !== value && name !== 'open') from.setAttribute(name, value);
    const rows = new Map([...from.children].map((child) => [keyOf(child), child]));
    if (held.has(from)) {
      for (const row of Array.from(to.children)) if (rows.has(keyOf(row))) morph(rows.get(keyOf(row)), row, held);
      return;
    }
    const keys = new Set([...to.children].map(keyOf));
    for (const [key, row] of rows) if (key !== undefined && !keys.has(key)) row.remove();
    let at = from.firstChild;
    for (const next of Array.from(to.childNodes)) {
      const key = keyOf(next);
      const match = key === undefined ? at && isSame(at, next) && at : rows.get(key);
      if (!match) {
        from.insertBefore(next, at);
        if (next.dataset?.key !== undefined) next.classList.add('fresh');
        continue;
      }
      if (match === at) at = at.nextSibling;
      else from.insertBefore(match, at);
      morph(match, next, held);
    }
    while (at) {
      const { nextSibling } = at;
      at.remove();
      at = nextSibling;
    }
  }

  const zoned = (timeStyle) => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle });
  // A meeting starts at a full minute; what a computer reports has seconds.
  const styles = [zoned('short'), zoned('medium')];
  const zone = styles[0].resolvedOptions().timeZone;
  const localText = (instant) => {
    const at = new Date(instant);
    return new Date(at - at.getTimezoneOffset() * 60_000).toISOString();
  };
  function localize(within) {
    for (const input of within.querySelectorAll('[name="timezone"][data-unset]')) {
      const form = input.closest('form');
      input.setAttribute('value', zone);
      for (const name of form.querySelectorAll('[data-zone]')) name.textContent = zone;
      for (const field of form.querySelectorAll('[data-instant]'))
        if (field.dataset.instant)
          field.setAttribute('value', localText(field.dataset.instant).slice(0, field.type === 'date' ? 10 : 16));
    }
    for (const time of within.querySelectorAll('time[datetime]'))
      if (time.textContent.endsWith(' UTC'))
        time.textContent = styles[/:00(?:\.0+)?Z$/.test(time.dateTime) ? 0 : 1].format(new Date(time.dateTime));
  }

  /** Whether a person looks at this list in a way that a new row would disturb. */
  function isRead(list, main) {
    const frame = list.closest('.scroll') ?? list;
    const selection = getSelection();
    return (
      list.getBoundingClientRect().top < 60 ||
      frame.scrollTop > 0 ||
      frame.matches(':hover') ||
      frame.contains(document.activeElement) ||
      (!selection.isCollapsed && main.contains(selection.anchorNode))
    );
  }

  /** Shows a newer version of the page. Returns how many rows wait, such as `12`; `20+` where a list has no other rows: more may be on its next page. */
  function show(main, newer, isForced) {
    localize(newer);
    const lists = [...main.querySelectorAll('[data-rows]')];
    const held = new Set();
    let waiting = 0;
    let more = '';
    newer.querySelectorAll('[data-rows]').forEach((list, index) => {
      const current = lists[index];
      const known = new Set([...(current?.children ?? [])].map(keyOf));
      const fresh = [...list.children].filter((row) => row.dataset.key !== undefined && !known.has(row.dataset.key));
      if (isForced || known.size === 0 || fresh.length === 0 || !isRead(current, main)) return;
      held.add(current);
      waiting += fresh.length;
      if (fresh.length === list.children.length) more = '+';
    });
    morph(main, newer, held);
    return waiting === 0 ? '' : `${waiting}${more}`;
  }

  function live(main) {
    const button = document.querySelector('[data-action="live"]');
    let isPaused = stored('live') === 'paused';
    let stream;
    let last = Number(main.dataset.seq);
    let failures = 0;
    let retry;
    let slow;
    let timer;
    let isAsking = false;
    let isStale = false;
    let askedAt = 0;
    let pauseMs = 1000;
    let chip;
    const isOn = () => !isPaused && !document.hidden;

    async function refresh(isForced = false) {
      timer = undefined;
      if (!isOn()) return;
      isAsking = true;
      isStale = false;
      askedAt = Date.now();
      try {
        const answer = await fetch(location.href, { headers: { accept: 'text/html', 'slotstream-fragment': '1' } });
        if (answer.status === 401) return loggedOut();
        const newer = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
        if (answer.ok && newer && isOn()) {
          // Lower than before where the log was restored from a backup.
          last = Number(newer.dataset.seq);
          count(show(main, newer, isForced));
        }
      } catch {
        // The stream notices that the server is away.
      } finally {
        isAsking = false;
        // A page that is expensive to make is asked for less often.
        pauseMs = Math.max(1000, 4 * (Date.now() - askedAt));
        if (isStale) schedule();
      }
    }

    /** Soon after the first of several entries, at most once a second. */
    function schedule() {
      isStale = true;
      if (timer === undefined && !isAsking) timer = setTimeout(refresh, Math.max(150, askedAt + pauseMs - Date.now()));
    }

    function count(waiting) {
      chip?.remove();
      chip = undefined;
      if (waiting === '') return;
      chip = make('button', { type: 'button', className: 'chip', textContent: `${waiting} new` });
      chip.addEventListener('click', async () => {
        getSelection().removeAllRanges();
        await refresh(true);
        const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
        const list = main.querySelector('[data-rows]');
        (list?.closest('.scroll') ?? list)?.scrollIntoView({ block: 'start', behavior });
      });
      document.body.append(chip);
    }

    function loggedOut() {
      isPaused = true;
      close();
      say(make('a', { href: location.href, textContent: 'You are logged out. Log in again.' }), true);
    }

    function close() {
      stream?.close();
      stream = undefined;
      for (const each of [timer, retry, slow]) clearTimeout(each);
      timer = retry = slow = undefined;
    }

    function connect() {
      close();
      if (!isOn()) return;
      stream = new EventSource(`/api/feed/stream?include=none&after=${last}`);
      stream.addEventListener('open', () => {
        if (failures > 0) say('Connected again.');
        failures = 0;
        clearTimeout(slow);
        slow = undefined;
      });
      stream.addEventListener('message', ({ lastEventId }) => {
        last = Math.max(last, Number(lastEventId));
        schedule();
      });
      stream.addEventListener('error', () => {
        failures += 1;
        slow ??= setTimeout(say, 1500, 'Not connected, trying again.', true);
        // The browser tries again by itself, unless the server answered with an error.
        if (stream?.readyState !== EventSource.CLOSED) return;
        retry = setTimeout(resume, Math.min(60_000, 1000 * 2 ** failures));
      });
    }

    /** The page first: it is newer than all that was written meanwhile, which may be much. */
    async function resume() {
      close();
      await refresh();
      connect();
    }

    function switchTo(paused) {
      isPaused = paused;
      if (button) {
        button.setAttribute('aria-pressed', String(!paused));
        button.textContent = paused ? 'Paused' : 'Live';
      }
      if (paused) count('');
    }

    document.addEventListener('visibilitychange', resume);
    addEventListener('pagehide', close);
    addEventListener('pageshow', ({ persisted }) => persisted && resume());
    // What depends on time alone, such as how long ago a process reported.
    setInterval(() => isOn() && stream?.readyState === EventSource.OPEN && schedule(), 15_000);
    switchTo(isPaused);
    connect();
    return () => {
      stored('live', isPaused ? '' : 'paused');
      switchTo(!isPaused);
      void resume();
      say(isPaused ? 'Paused: this page stays as it is.' : 'Live: this page follows the log.');
    };
  }

  /** Continues a search that has found nothing yet, for ten seconds. */
  async function search(main) {
    const endMs = Date.now() + 10_000;
    for (let next; (next = main.querySelector('a[data-search]')?.href) && Date.now() < endMs;) {
      say('Searching older deliveries …', true);
      const answer = await fetch(next, { headers: { accept: 'text/html', 'slotstream-fragment': '1' } });
      const newer = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
      if (!answer.ok || !newer) break;
      history.replaceState(null, '', next);
      show(main, newer, true);
    }
  }

  async function copy(button) {
    const text = button.dataset.copy || (button.parentElement.querySelector('pre, code')?.textContent ?? '');
    // There is no clipboard for scripts on plain HTTP.
    const isCopied = navigator.clipboard
      ? await navigator.clipboard.writeText(text).then(
          () => true,
          () => copySelected(button, text),
        )
      : copySelected(button, text);
    say(isCopied ? 'Copied.' : 'The browser does not allow copying: select the text instead.');
  }

  function copySelected(button, text) {
    const area = make('textarea', { className: 'hidden', value: text, readOnly: true });
    button.parentElement.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    button.focus();
    return isCopied;
  }

  const keys = {
    '/': 'search',
    'j k': 'next row, previous row',
    Enter: 'open the row',
    'y n u': 'they came, no-show, undo: of the row, or of the booking',
    r: 'live updates on or off',
    t: 'theme: system, light, dark',
    g: 'then the first letter of a page: go there',
    '?': 'these keys',
    Esc: 'leave a field, close this',
  };
  let dialog;
  function help() {
    if (!dialog) {
      const list = make('dl', { className: 'keys' });
      for (const [key, meaning] of Object.entries(keys))
        list.append(
          make('dt', {}, ...key.split(' ').map((each) => make('kbd', { textContent: each }))),
          make('dd', { textContent: meaning }),
        );
      const close = make('form', { method: 'dialog' }, make('button', { textContent: 'Close' }));
      dialog = document.body.appendChild(make('dialog', {}, make('h2', { textContent: 'Keys' }), list, close));
      dialog.setAttribute('aria-label', 'Keys');
    }
    if (!dialog.open) dialog.showModal();
  }

  function move(step) {
    const rows = [...document.querySelectorAll('main [data-href]')].filter((row) => row.offsetParent !== null);
    const current = rows.findIndex((row) => row.contains(document.activeElement));
    const row = rows[current === -1 ? (step > 0 ? 0 : rows.length - 1) : current + step];
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }

  /** The row that was open is selected again when the browser comes back. */
  const remember = (row) => row && history.replaceState({ row: row.dataset.href }, '');
  function selectOpened() {
    const [{ type } = {}] = performance.getEntriesByType('navigation');
    const { row } = history.state ?? {};
    if (type !== 'back_forward' || row === undefined) return;
    for (const each of document.querySelectorAll('main [data-href]'))
      if (each.dataset.href === row) return each.focus({ preventScroll: true });
  }

  /** Of the row that j and k reached; on the page of a booking, its own. */
  function answer(name) {
    const row = document.activeElement?.closest('main [data-href]');
    const buttons = (row ?? document.querySelector('main')).querySelectorAll(`[data-answer="${name}"]`);
    if (row || buttons.length === 1) buttons[0]?.click();
  }

  /** The next page that begins with the letter: several begin with n. */
  function go(letter) {
    const links = [...document.querySelectorAll('header nav a')];
    const from = links.findIndex((link) => link.hasAttribute('aria-current')) + 1;
    const isNamed = (link) => link.textContent.trim().toLowerCase().startsWith(letter);
    [...links.slice(from), ...links.slice(0, from)].find(isNamed)?.click();
  }

  const isTyping = ({ tagName }) => /^(INPUT|TEXTAREA|SELECT)$/.test(tagName);

  // A shared link has only the filters that are set.
  addEventListener('formdata', ({ target, formData }) => {
    if (target.method !== 'get') return;
    for (const name of new Set(formData.keys())) if (formData.get(name) === '') formData.delete(name);
    const times = [...target.querySelectorAll('[data-instant]')];
    if (times.length > 0 && !times.some(({ name }) => formData.has(name))) formData.delete('timezone');
  });

  addEventListener('DOMContentLoaded', () => {
    const main = document.querySelector('main');
    localize(document);
    // Chromium has done so by its style.
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    const toggle = main?.hasAttribute('data-live') ? live(main) : undefined;
    if (main?.querySelector('a[data-search]'))
      search(main)
        .finally(() => say(''))
        .catch(() => {});
    const actions = { live: () => toggle?.(), theme: nextTheme, help };
    const pressed = {
      '/': () => document.querySelector('.search input')?.select(),
      j: () => move(1),
      k: () => move(-1),
      y: () => answer('came'),
      n: () => answer('no_show'),
      u: () => answer('none'),
      r: actions.live,
      t: nextTheme,
      '?': help,
    };
    let isGoing = 0;
    selectOpened();
    addEventListener('focusin', ({ target }) => remember(target.closest('main [data-href]')));

    addEventListener('keydown', (event) => {
      const { key, target, ctrlKey, metaKey, altKey, isComposing } = event;
      if (ctrlKey || metaKey || altKey || isComposing || dialog?.open) return;
      if (isTyping(target)) {
        if (key === 'Escape') target.blur();
        return;
      }
      const now = Date.now();
      if (now - isGoing < 1500) {
        isGoing = 0;
        return go(key.toLowerCase());
      }
      if (key === 'g') isGoing = now;
      else if (key === 'Enter' && target.dataset?.href) location.assign(target.dataset.href);
      else if (Object.hasOwn(pressed, key)) {
        event.preventDefault();
        pressed[key]();
      }
    });
    addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
      const button = target.closest('[data-action], [data-copy]');
      if (button?.dataset.action) return actions[button.dataset.action]?.();
      if (button) return copy(button);
      const row = target.closest('[data-href]');
      remember(row);
      if (!row || target.closest('a, button, input, select, label, summary') || !getSelection().isCollapsed) return;
      if (ctrlKey || metaKey || shiftKey) window.open(row.dataset.href, '_blank', 'noopener');
      else location.assign(row.dataset.href);
    });
  });
})();
