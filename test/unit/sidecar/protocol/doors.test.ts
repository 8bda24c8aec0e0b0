import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ChatState } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import { channels } from '../../../../sidecar/protocol/channels/index.ts';
import { judgeAction } from '../../../../sidecar/protocol/channels/judgeAction.ts';
import { parseDispatch, parseEnvelope } from '../../../../sidecar/protocol/envelope.ts';
import { methods } from '../../../../sidecar/protocol/methods.ts';
import { negotiateVersion } from '../../../../sidecar/protocol/version.ts';
import { emptyChat } from '../../../support/protocol/arbitraryActions.ts';
import { verifies } from '../../../support/verifies.ts';

const chat = channels.find((it) => it.kind === 'chat')!;
const call = { turnId: 't', toolCallId: 'k' };

describe('an action at the door', () => {
  const rows: { says: string; action: { type: string; [key: string]: unknown }; verdict: string }[] = [
    { says: 'of an unknown type', action: { type: 'chat/canvasDrawn' }, verdict: 'unknown' },
    { says: 'named like a member of every object', action: { type: 'toString' }, verdict: 'unknown' },
    {
      says: 'with a part of an unknown kind',
      action: { type: 'chat/responsePart', turnId: 't', part: { kind: 'new' } },
      verdict: 'ok',
    },
    {
      says: 'with a part whose kind is named like a member of every object',
      action: { type: 'chat/responsePart', turnId: 't', part: { kind: 'toString' } },
      verdict: 'ok',
    },
    {
      says: 'with a malformed part of a known kind',
      action: { type: 'chat/responsePart', turnId: 't', part: { kind: 'markdown', id: 1, content: '' } },
      verdict: 'part.id',
    },
    {
      says: 'with a part without a kind',
      action: { type: 'chat/responsePart', turnId: 't', part: { id: 'a' } },
      verdict: 'part.kind',
    },
    {
      says: 'with a malformed call deep inside',
      action: {
        type: 'chat/responsePart',
        turnId: 't',
        part: {
          kind: 'toolCall',
          toolCall: {
            toolCallId: 'k',
            toolName: 'n',
            displayName: 'd',
            status: 'running',
            invocationMessage: 'i',
            confirmed: 'perhaps',
          },
        },
      },
      verdict: 'part.toolCall.confirmed',
    },
    {
      says: 'with members of tomorrow',
      action: { type: 'chat/delta', turnId: 't', partId: 'p', content: '', urgency: 3 },
      verdict: 'ok',
    },
    {
      says: 'that denies without a reason',
      action: { type: 'chat/toolCallConfirmed', ...call, approved: false },
      verdict: 'reason',
    },
    {
      says: 'that approves without saying how',
      action: { type: 'chat/toolCallConfirmed', ...call, approved: true },
      verdict: 'confirmed',
    },
    {
      says: 'with null for an absent member',
      action: { type: 'chat/activityChanged', activity: null },
      verdict: 'activity',
    },
    {
      says: 'with a time that is none',
      action: {
        type: 'chat/turnStarted',
        turnId: 't',
        startedAt: 'soon',
        message: { text: '', origin: { kind: 'user' } },
      },
      verdict: 'startedAt',
    },
  ];
  for (const { says, action, verdict } of rows) {
    it(`${says} -> ${verdict}`, () => {
      const judged = judgeAction(chat, action);
      assert.equal(judged.verdict === 'malformed' ? judged.reason.split(':')[0] : judged.verdict, verdict);
    });
  }

  it('is not quoted when it is refused', () => {
    const judged = judgeAction(chat, {
      type: 'chat/delta',
      turnId: 't',
      partId: 'p',
      content: { token: 'canary' },
    } as never);
    assert.ok(judged.verdict === 'malformed' && !judged.reason.includes('canary'));
  });
});

describe('an envelope at the door', () => {
  it('needs a channel, an action with a type and a whole number', () => {
    const good = { channel: 'host-chat:/a', action: { type: 'x' }, serverSeq: 1 };
    assert.ok(parseEnvelope({ ...good, _meta: { at: '2026-01-01T00:00:00Z', more: 1 }, tomorrow: 1 }).success);
    for (const bad of [{ serverSeq: -1 }, { serverSeq: 1.5 }, { action: {} }, { channel: '' }, { origin: null }]) {
      assert.ok(!parseEnvelope({ ...good, ...bad }).success, JSON.stringify(bad));
    }
    assert.ok(!parseDispatch({ channel: 'host-chat:/a', action: { type: 'x' }, clientSeq: '1' }).success);
  });
});

describe('a state at the door', () => {
  it('may hold words and kinds of tomorrow, but no broken ones of today', () => {
    const turn = { id: 't', startedAt: emptyChat.modifiedAt, message: { text: '', origin: { kind: 'oracle' } } };
    const state = (part: unknown) => ({
      ...emptyChat,
      interactivity: 'half',
      activeTurn: { ...turn, responseParts: [part] },
    });
    assert.ok(ChatState.safeParse(state({ kind: 'canvas' })).success);
    assert.ok(!ChatState.safeParse(state({ kind: 'markdown' })).success);
    assert.ok(ChatState.safeParse(state({ kind: 'toolCall', toolCall: { status: 'resting' } })).success);
    assert.ok(!ChatState.safeParse(state({ kind: 'toolCall', toolCall: { status: 'running' } })).success);
  });
});

describe('params at the door', () => {
  const own = { protocolVersions: ['0.7.0'], clientId: 'c1' };

  it("of initialize may be the protocol's alone, and belong to the root channel", () => {
    assert.equal(methods.initialize.params.parse(own).channel, 'host-root://');
  });

  it("of initialize may be the language client's with the protocol's beside them", () => {
    const languageClient = {
      processId: 1,
      clientInfo: { name: 'Visual Studio Code', version: '1.139.1' },
      locale: 'en',
      rootPath: null,
      rootUri: null,
      capabilities: { workspace: { applyEdit: true }, general: { positionEncodings: ['utf-16'] } },
      trace: 'off',
      workspaceFolders: null,
    };
    const window = {
      trusted: true,
      folders: [],
      env: {},
      agents: [],
      rules: [],
      idleExitMinutes: 10,
      durability: 'normal',
    };
    const initializationOptions = { build: { version: '0.1.0', builtAtMs: 1 }, window };
    assert.ok(methods.initialize.params.safeParse({ ...languageClient, ...own, initializationOptions }).success);
    assert.ok(methods.initialize.params.safeParse({ ...languageClient, ...own, initializationOptions: null }).success);
    const broken = {
      ...own,
      initializationOptions: { ...initializationOptions, window: { ...window, trusted: 'yes' } },
    };
    const judged = methods.initialize.params.safeParse(broken);
    assert.deepEqual(judged.error?.issues[0]?.path, ['initializationOptions', 'window', 'trusted']);
  });

  it('of completions refuse an offset beyond the text', () => {
    const params = { channel: 'host-chat:/a', kind: 'userMessage', text: 'ab', offset: 3 };
    assert.deepEqual(methods.completions.params.safeParse(params).error?.issues[0]?.path, ['offset']);
  });

  it('may be left out where nothing is required', () => {
    assert.deepEqual(methods.ping.params.parse(undefined), { channel: 'host-root://' });
  });
});

describe('the version of the protocol that is chosen', () => {
  verifies('host.version.semver');
  for (const { offered, chosen } of [
    { offered: ['0.9.0', '0.7.0', '0.6.0'], chosen: '0.7.0' },
    { offered: ['0.7.12', '0.7.0'], chosen: '0.7.12' },
    { offered: ['0.9.0', '0.6.0'], chosen: undefined },
    { offered: ['0.70.0', '10.7.0', '0.7', '0.7.x', '0.7.00', ' 0.7.0', '0.7.0-beta'], chosen: undefined },
    { offered: [], chosen: undefined },
  ]) {
    it(`of ${JSON.stringify(offered)} is ${chosen ?? 'none'}`, () => assert.equal(negotiateVersion(offered), chosen));
  }
});
