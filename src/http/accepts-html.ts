// Who asks: people are shown pages, programs are given JSON.

/** What `text/html` in `Accept` says about the caller. */
export const isBrowser = (accept = ''): boolean => /\btext\/html\b/.test(accept);
