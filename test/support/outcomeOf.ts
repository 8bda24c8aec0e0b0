import { Fault } from '../../sidecar/platform/faults.ts';

/** `done`, or the code and sentence of the fault. @throws what is no fault */
export async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (thrown) {
    if (thrown instanceof Fault) return `${thrown.code} ${thrown.message}`;
    throw thrown;
  }
}
