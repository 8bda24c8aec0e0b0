import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const content = promisedBy(`${document}, Text and content`, {
  'host.content.position': 'TextPosition has line and character, both required and zero-based.',
  'host.content.range': 'TextRange has start and end, both required.',
  'host.content.selection': 'TextSelection has a range, which is required.',
  'host.content.ref': 'ContentRef has uri, required, and sizeHint, contentType and nonce.',
  'host.content.edit-sides': 'before and after of a FileEdit each have uri and content, both required.',
  'host.content.edit-diff': 'diff of a FileEdit has the numbers added and removed.',
  'host.content.edit-creation': 'A creation has after only.',
  'host.content.edit-deletion': 'A deletion has before only.',
  'host.content.edit-rename': 'A rename or move has both, with different URIs.',
  'host.content.edit-change': 'An edit has both, with the same URI.',
});

export const usageAndErrors = promisedBy(`${document}, UsageInfo and ErrorInfo`, {
  'host.usage.tokens': 'UsageInfo has inputTokens, outputTokens, model, cacheReadTokens and _meta, all optional.',
  'host.usage.context':
    'What an agent reports of its context and of the cost of its session stands in _meta of the usage of the turn, and is added to nothing.',
  'host.error-info': 'ErrorInfo has errorType and message, both required, and stack and _meta.',
});

export const snapshot = promisedBy(`${document}, Snapshot`, {
  'host.snapshot.resource': 'resource is the URI of the subscribed channel.',
  'host.snapshot.state': 'state is the state of that kind of channel.',
  'host.snapshot.from-seq': 'fromSeq is the serverSeq of the snapshot; later operations have a greater one.',
});
