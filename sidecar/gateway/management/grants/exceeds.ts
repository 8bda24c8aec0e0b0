import { Fault } from '../../../platform/faults.ts';

/** Nobody gives what they do not have (`security.privilege-escalation`). @param may what the caller may give */
export const exceeds = (field: string, may: string): Fault =>
  new Fault('forbidden', `'${field}' exceeds your own permissions. You can grant ${may}.`, { data: { field } });

/** Whether a check lets something through; what is no refusal passes on. */
export async function isAllowed(check: Promise<void>): Promise<boolean> {
  try {
    await check;
    return true;
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'forbidden') return false;
    throw thrown;
  }
}
