import * as vscode from 'vscode';
import type {
  EditorAnswerPart,
  EditorModelError,
  EditorModelRequest,
} from '../../sidecar/protocol/channels/root/editorModelCalls.ts';
import { editorModelOf } from '../platform/editorModels.ts';
import type { AskModel } from './editorModelCalls.ts';

/** Calls a model of the editor. With the first call, the editor asks the person for consent. */
export const askEditorModel: AskModel = async (request, onPart, signal) => {
  const source = new vscode.CancellationTokenSource();
  const cancel = () => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const model = await editorModelOf(request.model);
    if (!model) return { reason: 'gone', message: '' };
    signal.throwIfAborted(); // the editor would still ask for consent
    const response = await model.sendRequest(request.messages.map(toMessage), optionsOf(request), source.token);
    for await (const it of response.stream) for (const part of toParts(it)) onPart(part);
    return undefined;
  } catch (thrown) {
    return toError(thrown);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
};

function optionsOf({ tools }: EditorModelRequest): vscode.LanguageModelChatRequestOptions {
  return {
    justification: vscode.l10n.t('Its built-in agent works with the model that you chose for the session.'),
    tools: tools.map((it) => ({ ...it })),
  };
}

function toMessage({ role, parts }: EditorModelRequest['messages'][number]): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(role === 'user' ? User : Assistant, parts.map(toInput));
}

function toInput(part: EditorModelRequest['messages'][number]['parts'][number]): vscode.LanguageModelInputPart {
  switch (part.type) {
    case 'text':
      return new vscode.LanguageModelTextPart(part.text);
    case 'call':
      return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
    case 'result':
      return new vscode.LanguageModelToolResultPart(part.id, [new vscode.LanguageModelTextPart(part.text)]);
    case 'image':
      return vscode.LanguageModelDataPart.image(Buffer.from(part.base64, 'base64'), part.mediaType);
  }
}

/** Parts of other types, such as reasoning, are for other extensions. */
function toParts(part: unknown): EditorAnswerPart[] {
  if (part instanceof vscode.LanguageModelTextPart) return [{ type: 'text', text: part.value }];
  if (!(part instanceof vscode.LanguageModelToolCallPart)) return [];
  const input = JSON.parse(JSON.stringify(part.input)) as Extract<EditorAnswerPart, { type: 'call' }>['input'];
  return [{ type: 'call', id: part.callId, name: part.name, input }];
}

function toError(thrown: unknown): EditorModelError {
  const message = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '').slice(0, 500) : '';
  const { NoPermissions, Blocked, NotFound } = vscode.LanguageModelError;
  const code = thrown instanceof vscode.LanguageModelError ? thrown.code : undefined;
  switch (code) {
    case NoPermissions.name:
      return { reason: 'consent', message };
    case Blocked.name:
      return { reason: 'blocked', message };
    case NotFound.name:
      return { reason: 'gone', message };
    default:
      return { reason: 'failed', message };
  }
}
