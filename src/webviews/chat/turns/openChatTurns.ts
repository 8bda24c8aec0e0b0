import type { ChatTurns, ChatTurnsDeps } from './chatTurnsModule.ts';
import { insertAtCursor, openAsNewFile, runInTerminal } from './codeBlocks.ts';
import { openEditedFile } from './editedFile.ts';
import { EditedPrompt } from './editedPrompt.ts';
import { forkSession } from './forkSession.ts';

export function openChatTurns(deps: ChatTurnsDeps): ChatTurns {
  const edited = new EditedPrompt(deps);
  return {
    async turn(turnId, what) {
      if (what === 'fork') await forkSession(deps, turnId);
      else if (what === 'edit') edited.begin(turnId);
      else edited.leave();
    },
    resend: (message) => edited.send(message),
    openFile: (edit) => openEditedFile(deps, edit),
    async code({ what, text, language }) {
      if (what === 'insert') await insertAtCursor(text, deps.lastEditor());
      else if (what === 'newFile') await openAsNewFile(text, language);
      else if (deps.chat.model().head.canRun) await runInTerminal(text, deps.chat.folders[0]);
    },
  };
}
