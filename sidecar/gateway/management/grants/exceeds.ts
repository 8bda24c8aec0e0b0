import { Fault } from '../../../platform/faults.ts';

/** Nobody gives what they do not have (completion 5.2, privilege escalation). @param may what the caller may give */
export const exceeds = (field: string, may: string): Fault =>
  new Fault('forbidden', `'${field}' is more than you have yourself: you may give ${may}.`, { data: { field } });
