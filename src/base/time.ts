// A moment as the store and the wire write it: UTC with six digits, of which our clocks know three.

export const instantOf = (moment: Date | number): string => new Date(moment).toISOString().replace('Z', '000Z');
