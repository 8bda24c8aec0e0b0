import * as z from 'zod';
import { parsedJson } from '../../platform/json.ts';

const Bound = z.object({ origins: z.string(), value: z.unknown() });

/** A secret as it is sealed, with the origins that it was given for. */
export const bind = (origins: string, value: unknown): string => JSON.stringify({ origins, value });

/**
 * The secret, as long as it would go where it was given for: one gate for whoever asks, however old their picture of the
 * registration is (`security.secret-of-another-origin`).
 */
export function openBound(origins: string, text: string | undefined): unknown {
  const bound = text === undefined ? undefined : Bound.safeParse(parsedJson(text)).data;
  return bound?.origins === origins ? bound.value : undefined;
}
