// Numbers that look random and lead back to the row they were made from: what a row is called needs no index to be found.

/** A choice of 32 bits that hangs on the seed, the row and what it is for, and on nothing else. */
export function chosen(seed: number, purpose: number, row: number): number {
  let bits = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(purpose + 1, 0x7feb352d) ^ seed;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  bits = Math.imul(bits ^ (bits >>> 16) ^ purpose, 0x846ca68b);
  return (bits ^ (bits >>> 15)) >>> 0;
}

/** The same as a number from 0 up to, never reaching, 1. */
export const fraction = (seed: number, purpose: number, row: number): number =>
  chosen(seed, purpose, row) / 4_294_967_296;

export interface Code {
  encode(row: number): number;
  decode(code: number): number;
}

const rounds = 4;

/** A Feistel network over numbers of twice `halfBits` bits: every number has its own code, and every code its number. */
export function createCode(seed: number, halfBits: number): Code {
  const mask = 2 ** halfBits - 1;
  const size = 2 ** halfBits;
  const scramble = (half: number, round: number): number => chosen(seed, round, half) & mask;
  return {
    encode(row) {
      let left = Math.floor(row / size);
      let right = row & mask;
      for (let round = 0; round < rounds; round += 1) [left, right] = [right, left ^ scramble(right, round)];
      return left * size + right;
    },
    decode(code) {
      let left = Math.floor(code / size);
      let right = code & mask;
      for (let round = rounds - 1; round >= 0; round -= 1) [left, right] = [right ^ scramble(left, round), left];
      return left * size + right;
    },
  };
}
