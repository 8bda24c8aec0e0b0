import { again, skipStep } from './again.ts';
import type { ChatTurns, ChatTurnsDeps } from './chatTurnsModule.ts';
import { insertAtCursor, openAsNewFile, runInTerminal } from './codeBlocks.ts';
import { diffOf, openEditedFile } from './editedFile.ts';
import { EditedPrompt } from './editedPrompt.ts';
import { findInChat } from './findInChat.ts';
import { forkSession } from './forkSession.ts';
import { openLink } from './links.ts';
import { addChat, askBeside, changeChat, forkChat } from './moreChats.ts';
import { redoRestore, restoreTo } from './restore.ts';

export function openChatTurns(deps: ChatTurnsDeps): ChatTurns {
  const edited = new EditedPrompt(deps);
  return {
    async turn(turnId, what) {
      if (what === 'again') await again(deps, turnId);
      else if (what === 'skip') await skipStep(deps, turnId);
      else if (what === 'fork') await forkSession(deps, turnId);
      else if (what === 'forkChat') await forkChat(deps, turnId);
      else if (what === 'beside') await askBeside(deps, { turnId });
      else if (what === 'restore') await restoreTo(deps, turnId);
      else if (what === 'edit') edited.begin(turnId);
      else edited.leave();
    },
    chat: (message) => changeChat(deps, message),
    find: (message) => findInChat(deps, message),
    newChat: () => addChat(deps),
    askBeside: (question) => askBeside(deps, question === undefined ? {} : { question }),
    redoRestore: () => redoRestore(deps),
    resend: (message) => edited.send(message),
    openFile: (edit) => openEditedFile(deps, edit),
    diff: (edit) => diffOf(edit, deps.host),
    openLink: (href) => openLink(href, deps.chat.folders, deps.host),
    async code({ what, text, language }) {
      if (what === 'insert') await insertAtCursor(text, deps.lastEditor());
      else if (what === 'apply') await deps.proposeCode(text);
      else if (what === 'newFile') await openAsNewFile(text, language, deps.columnOfFiles);
      else if (deps.chat.model().head.canRun) await runInTerminal(text, deps.chat.folders[0]);
    },
  };
}
