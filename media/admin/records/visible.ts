import { ApiError } from '../api.ts';

/** An empty list for what the caller may not see; anything else that goes wrong is said. */
export async function visible<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof ApiError && (thrown.status === 403 || thrown.status === 404)) return [];
    throw thrown;
  }
}
