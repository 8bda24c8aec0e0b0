import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { chatText } from '../../../../../../src/webviews/chat/text/chatText.ts';
import type { ChatHead, Row } from '../../../../../../src/webviews/contract/chatModel.ts';
import { english } from '../../../../../support/extensionStates.ts';

const base = { id: 'r', turnId: 't' };
const tool = { ...base, kind: 'tool', toolCallId: 'c', toolKind: 'shell', files: [], paths: [] } as const;
const rows: readonly Row[] = [
  { ...base, kind: 'prompt', text: 'Clean up, please.', attachments: [{ label: 'notes.md', kind: 'document' }] },
  { ...base, kind: 'reasoning', text: 'There is a build folder.' },
  { ...base, kind: 'markdown', text: 'I will **remove** it.\n' },
  {
    ...tool,
    state: 'done',
    title: 'Edited the list',
    toolKind: 'edit',
    files: [
      { label: 'src/a.ts', change: 'edited', added: 2, removed: 1 },
      { label: 'src/b.ts', change: 'created', added: 3 },
    ],
  },
  {
    ...tool,
    state: 'failed',
    title: 'Run tests',
    command: 'npm test',
    exitCode: 1,
    output: { text: '1 failing', lines: 1, isCut: false },
  },
  { ...tool, state: 'pending', title: 'Run this command?', command: 'rm -rf build && echo "all gone"', where: 'tools' },
  {
    ...base,
    kind: 'question',
    requestId: 'q',
    state: 'accept',
    message: 'Which branch?',
    questions: [
      {
        id: 'b',
        kind: 'single-select',
        message: 'Branch',
        required: true,
        allowsFreeform: false,
        options: [{ id: '1', label: 'main' }],
      },
    ],
    answers: { b: { value: '1' } },
  },
  { ...base, kind: 'error', message: 'The agent stopped.', action: 'retry' },
  { ...base, kind: 'end', state: 'cancelled' },
];

describe('a chat as text', () => {
  it('1c-19 has every prompt, answer, tool call, and request, with whole commands, in the order of the chat', () => {
    const head = { title: 'Clean up', hasOlder: false } as ChatHead;
    assert.equal(
      chatText(english, { head, rows }),
      `# Clean up

## You asked

Clean up, please.

Attached: notes.md

## Thinking

There is a build folder.

## The agent answered

I will **remove** it.

## Edited the list (done)

Files:
src/a.ts +2 −1
src/b.ts (new) +3 −0

## Run tests (failed)

Command:
npm test

Output:
1 failing

exit code 1

## Needs your approval: Run this command?

Command:
rm -rf build && echo "all gone"

Folder:
tools

Answer it in the Inbox or in the chat, or run "Review Pending Requests…".

## Which branch?

Branch
- main
Your answer: main

## The turn failed

The agent stopped.

The turn was stopped.
`,
    );
  });

  it('says that it is empty, or that earlier turns are not in it', () => {
    assert.equal(
      chatText(english, { head: { title: 'New session', hasOlder: false } as ChatHead, rows: [] }),
      '# New session\n\nThis chat has no messages yet.\n',
    );
    assert.match(
      chatText(english, { head: { title: 'Long', hasOlder: true } as ChatHead, rows }),
      /^# Long\n\nEarlier turns are not loaded\. Scroll up in the chat to load them\.\n\n## You asked/,
    );
  });
});
