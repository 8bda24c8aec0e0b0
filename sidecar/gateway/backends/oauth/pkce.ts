import { createHash } from 'node:crypto';

/** Random bytes, handed in so that tests are exact. Production: `randomBytes` of node:crypto. */
export type RandomBytes = (count: number) => Uint8Array;

/** 256 random bits as text for URLs and cookies. */
export const randomWord = (random: RandomBytes): string => Buffer.from(random(32)).toString('base64url');

/** RFC 7636, 4.2: the S256 challenge of a verifier. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
