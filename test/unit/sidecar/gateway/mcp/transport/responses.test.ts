import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { formatEvent, type WrittenEvent } from '../../../../../../sidecar/gateway/mcp/transport/responses.ts';

describe('an event of a stream', () => {
  const rows: readonly (readonly [event: WrittenEvent, text: string])[] = [
    [{ data: '{}' }, 'data: {}\n\n'],
    [{ data: '' }, 'data: \n\n'],
    [{ id: 'e1', data: '{}' }, 'id: e1\ndata: {}\n\n'],
    [{ event: 'message', id: '', retryMs: 0, data: '{}' }, 'event: message\nid: \nretry: 0\ndata: {}\n\n'],
    [{ data: '{\n\n}\n' }, 'data: {\ndata: \ndata: }\ndata: \n\n'],
  ];
  for (const [event, text] of rows)
    it(`${JSON.stringify(event)} is written line by line`, () => assert.equal(formatEvent(event), text));
});
