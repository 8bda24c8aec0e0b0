import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { SANDBOX, withSandbox } from '../../../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { toPickers } from '../../../../../src/webviews/chat/chatPickers.ts';
import { summary } from '../../../../support/extensionStates.ts';

interface Given {
  /** Of the session, or of new sessions in this window. */
  readonly isOn: boolean;
  readonly exists: boolean;
  readonly chosen?: 'on' | 'off';
}
const pickerOf = ({ isOn, exists, chosen }: Given) => {
  const config = withSandbox({ schema: { type: 'object', properties: {} }, values: {} }, isOn);
  const session: SessionState = { ...summary(), lifecycle: 'ready', activeClients: [], chats: [], config };
  const all = toPickers({
    agents: [],
    editor: { folders: [], folder: undefined } as never,
    chosen: chosen ? { config: { [SANDBOX]: chosen } } : {},
    config,
    favorites: { pinned: [], recent: [] },
    folderAgents: [],
    isNew: !exists,
    ...(exists && { session }),
  });
  const found = all.find((it) => it.id === `option:${SANDBOX}`);
  return found && `${found.title}: ${found.value}${found.enabled ? ', can be changed' : ''}`;
};

describe('the sandbox in the composer', () => {
  for (const { what, given, expected } of [
    { what: 'can be chosen for a new session', given: { isOn: false, exists: false }, expected: 'off, can be changed' },
    { what: 'follows the setting of the window', given: { isOn: true, exists: false }, expected: 'on, can be changed' },
    {
      what: 'follows the choice for a new session',
      given: { isOn: true, exists: false, chosen: 'off' },
      expected: 'off, can be changed',
    },
    { what: 'is shown in a session that has one', given: { isOn: true, exists: true }, expected: 'on' },
    { what: 'is not shown in a session that has none', given: { isOn: false, exists: true }, expected: undefined },
  ] satisfies { what: string; given: Given; expected: string | undefined }[])
    it(`${what}`, () => {
      assert.equal(pickerOf(given), expected && `Sandbox: ${expected}`);
    });
});
