/** `dist/review.cjs`: loaded when an agent has changed something that this window can show, or somebody reviews changes or compares turns. */
export { compareTurns } from './changes/review/compareTurns.ts';
export { openReview } from './changes/review/openReview.ts';
export { openReviewedChanges } from './changes/review/reviewedChanges.ts';
