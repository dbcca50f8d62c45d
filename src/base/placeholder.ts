// Values that examples have where a secret belongs.

/** In a list or as the password in a URL, too. */
export const placeholder = /(?:^|[,:])\s*change[-_]?me/i;
