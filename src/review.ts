/** `dist/review.cjs`: loaded when an agent has changed something that this window can show. */
export { openReview } from './changes/review/openReview.ts';
