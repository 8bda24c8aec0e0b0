import type { RequirementId } from '../requirements.ts';

/**
 * Says, as a statement in the body of `it` or `describe`, which promises of `test/requirements.ts` the tests there show.
 * It does nothing when it runs: `test/architecture/requirements.test.ts` reads the code.
 */
export const verifies = (...promises: readonly [RequirementId, ...RequirementId[]]): void => void promises;
