import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatState, InputRequestPart } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { ToolCallState } from '../../../sidecar/protocol/channels/chat/toolCalls.ts';
import type { WindowInfo } from '../../../sidecar/protocol/window.ts';
import { HostPeer } from '../host/hostPeer.ts';
import { testWindow } from '../host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../host/workspace.ts';
import { type ModelServer, type Recordings, startModel } from '../model/server.ts';
import { openSidecarPlace, type SidecarPlace } from '../sidecar.ts';

/** How the gateway's models are registered, by the dialect that the agent then uses. */
const registered = {
  messages: { model: 'anthropic/fake', path: '' },
  responses: { model: 'openai/fake', path: '/v1' },
  chat: { model: 'openai_compatible/fake', path: '/v1' },
} as const;
export type TestedDialect = keyof typeof registered;

/** A host process and its gateway, whose models give recorded answers. Close it at the end. */
export interface CoderPlace {
  readonly model: ModelServer;
  readonly sidecar: SidecarPlace;
  /** Connects a window with the folder, and starts the gateway. */
  connect(workspace: Workspace, window?: Partial<WindowInfo>): Promise<HostPeer>;
  workspace(files: Readonly<Record<string, string>>): Workspace;
  close(): Promise<void>;
}

/** The gateway offers `fake`, and `small`, which takes 4,000 tokens. */
export async function openCoderPlace(dialect: TestedDialect, recordings: Recordings): Promise<CoderPlace> {
  const model = await startModel(recordings);
  const sidecar = openSidecarPlace();
  const workspaces: Workspace[] = [];
  const secrets = {
    secret: randomBytes(32).toString('base64'),
    adminKey: `sk-${randomBytes(32).toString('base64url')}`,
  };
  let clients = 0;
  let isRegistered = false;
  async function register(baseUrl: string): Promise<void> {
    const { model: name, path } = registered[dialect];
    const params = {
      model: name,
      api_base: `${model.url}${path}`,
      api_key: 'sk-of-the-provider',
      allow_private_network: true,
    };
    for (const [model_name, max_input_tokens] of [
      ['fake', 100_000],
      ['small', 4_000],
    ]) {
      const answer = await fetch(`${baseUrl}/model/new`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secrets.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model_name, gateway_params: { ...params, max_input_tokens } }),
      });
      assert.equal(answer.status, 200, await answer.text());
    }
  }
  return {
    model,
    sidecar,
    workspace(files) {
      const workspace = openWorkspace(files);
      workspaces.push(workspace);
      return workspace;
    },
    async connect(workspace, window = {}) {
      const peer = new HostPeer(sidecar.start().peer);
      clients += 1;
      const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: workspace.path };
      await peer.initialize(`c${clients}`, { ...testWindow, folders: [workspace.uri], env, ...window });
      const { baseUrl } = await peer.request('x-switchboard/gatewayStart', secrets);
      if (!isRegistered) await register(baseUrl);
      isRegistered = true;
      return peer;
    },
    async close() {
      await sidecar.close();
      await model.close();
      for (const it of workspaces) it.remove();
    },
  };
}

type Pending = Extract<ToolCallState, { status: 'pending-confirmation' }>;
type Request = InputRequestPart['request'];

/** How the user answers during a turn. */
export interface Person {
  /** A text denies the call with that reason. Absent: everything is allowed once. */
  readonly decide?: (call: Pending) => true | string;
  /** The values of the answers, by question. */
  readonly answer?: (request: Request) => Readonly<Record<string, { readonly kind: string; readonly value: unknown }>>;
}

/** Runs a turn to its end, and answers each question and request once. */
export async function playAsPerson(
  peer: HostPeer,
  chat: string,
  message: { readonly text: string; readonly model?: string },
  { decide = () => true, answer }: Person = {},
): Promise<ChatState['turns'][number]> {
  const { text, model } = message;
  const turnId = randomUUID();
  const started: ChatAction = {
    type: 'chat/turnStarted',
    turnId,
    startedAt: new Date().toISOString(),
    message: { text, origin: { kind: 'user' }, ...(model !== undefined && { model: { id: model } }) },
  };
  const { rejectionReason } = await peer.act(chat, started);
  assert.equal(rejectionReason, undefined);
  const answered = new Set<string>();
  await peer.until(() => {
    for (const part of peer.chat(chat).activeTurn?.responseParts ?? []) {
      if (part.kind === 'toolCall') decideOnce(part.toolCall as ToolCallState);
      if (part.kind === 'inputRequest') answerOnce(part as InputRequestPart);
    }
    return peer.chat(chat).turns.some((it) => it.id === turnId);
  }, 'the turn has ended');
  return peer.ended(chat, turnId);

  function decideOnce(call: ToolCallState): void {
    const { toolCallId } = call;
    if (call.status !== 'pending-confirmation' || answered.has(toolCallId)) return;
    answered.add(toolCallId);
    const decision = decide(call);
    const verdict =
      decision === true
        ? { approved: true, confirmed: 'user-action', selectedOptionId: 'allow-once' }
        : { approved: false, reason: 'denied', reasonMessage: decision };
    peer.dispatch(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId, ...verdict } as ChatAction);
  }

  function answerOnce({ request, response }: InputRequestPart): void {
    if (response || answered.has(request.id)) return;
    answered.add(request.id);
    assert.ok(answer, `the test has no answer for ${JSON.stringify(request)}`);
    const answers = Object.fromEntries(
      Object.entries(answer(request)).map(([id, value]) => [id, { state: 'submitted', value }]),
    );
    peer.dispatch(chat, {
      type: 'chat/inputCompleted',
      requestId: request.id,
      response: 'accept',
      answers,
    } as ChatAction);
  }
}

/** The tool calls of a turn, in order. */
export const callsOf = (turn: ChatState['turns'][number]): readonly ToolCallState[] =>
  turn.responseParts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall as ToolCallState] : []));
/** All text of a turn. */
export const textOf = (turn: ChatState['turns'][number]): string =>
  turn.responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');
