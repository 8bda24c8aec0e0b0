import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { matchesIn } from '../../../../../src/webviews/chat/turns/findInChat.ts';
import type { Row } from '../../../../../src/webviews/contract/chatModel.ts';

const markdown = (text: string): Row => ({ kind: 'markdown', id: 'a', turnId: 't', text });

describe('1b-23 what is found in a chat', () => {
  for (const { says, row, text, places } of [
    { says: 'words of a prompt, in any case', row: prompt('Fix the Dates'), text: 'the dates', places: 1 },
    { says: 'each place once', row: markdown('na na na'), text: 'na', places: 3 },
    { says: 'places that do not overlap', row: markdown('aaaa'), text: 'aa', places: 2 },
    {
      says: 'words with marks of emphasis between them',
      row: markdown('a **plum** _pie_'),
      text: 'a plum pie',
      places: 1,
    },
    {
      says: 'the words of a link, not where it leads',
      row: markdown('[here](https://a.example/plum)'),
      text: 'plum',
      places: 0,
    },
    { says: 'the text of a heading', row: markdown('## The *end*\n'), text: 'the end', places: 1 },
    {
      says: 'names with underscores as they are',
      row: markdown('call my_own_name now'),
      text: 'my_own_name',
      places: 1,
    },
    { says: 'code as it is', row: markdown('```ts\na ** b\n```\n'), text: 'a ** b', places: 1 },
    { says: 'nothing of the fences around code', row: markdown('```plum\nx\n```\n'), text: 'plum', places: 0 },
    { says: 'nothing without words', row: markdown('a'), text: '', places: 0 },
    { says: 'what a command was and what it printed', row: tool(), text: 'npm test', places: 2 },
  ])
    it(`is ${says}`, () => {
      assert.deepEqual(
        matchesIn([row], text),
        Array.from({ length: places }, (_, nth) => ({ rowId: row.id, turnId: row.turnId, nth })),
      );
    });
});

function prompt(text: string): Row {
  return { kind: 'prompt', id: 'p', turnId: 't', text, attachments: [] };
}
function tool(): Row {
  return {
    kind: 'tool',
    id: 'c',
    turnId: 't',
    toolCallId: 'c',
    state: 'done',
    toolKind: 'shell',
    title: 'Run tests',
    command: 'npm test',
    output: { text: '> npm test\nok', lines: 2, isCut: false },
    files: [],
    paths: [],
  };
}
