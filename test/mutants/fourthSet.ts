import { gatewayHoles } from './gatewayHoles.ts';
import { hostHoles } from './hostHoles.ts';
import type { Mutant } from './mutant.ts';

/**
 * Changes that no test found when they were tried first: what reached the other side was not counted, nothing happened in the
 * middle of something else, or nobody looked at what a failure left behind. Each has a test since.
 */
export const fourthSet: readonly Mutant[] = [...gatewayHoles, ...hostHoles];
