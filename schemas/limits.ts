// The specification's numbers. They bind what we send; on reading they only make a note.

export const limits = {
  pageSize: { default: 20, max: 100 },
  emailsPerContact: 10,
  phoneNumbersPerContact: 10,
  eventGuests: 10,
  paymentTermsCharacters: 1024,
  availableTimesDays: 31,
  /** Of the public service. */
  busyTimesDays: 7,
} as const;

/** POST /invitees, per user. Several rows of one tier hold together. */
export const bookingRateLimits = {
  trial: [{ requests: 5, per: 'day' }],
  paid: [
    { requests: 10, per: 'minute' },
    { requests: 50, per: 'hour' },
    { requests: 100, per: 'day' },
  ],
  enterprise: [{ requests: 500, per: 'minute' }],
} as const;

/** Every other endpoint, per user and minute (A6d). */
export const apiRateLimits = { paid: 500, free: 50 } as const;

/** How the service sends deliveries (A3). */
export const deliveryPolicy = { connectSeconds: 10, readSeconds: 15, retryHours: 24 } as const;
