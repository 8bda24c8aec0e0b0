import type { Album } from '../album.ts';
import type { Scene, SubjectOf } from '../list.ts';
import { agents } from './agents.ts';
import { firstLook, tour } from './firstLook.ts';
import { gateway } from './gateway.ts';
import { highContrast } from './highContrast.ts';
import { manySessions } from './manySessions.ts';
import { pagesEmpty } from './pagesEmpty.ts';
import { pagesOfAccess } from './pagesOfAccess.ts';
import { pagesOfActivity } from './pagesOfActivity.ts';
import { pagesOfBackends } from './pagesOfBackends.ts';
import { sideBarChat } from './sideBarChat.ts';
import { turn } from './turn.ts';
import { untrusted } from './untrusted.ts';
import { worktrees } from './worktrees.ts';

/** What each scene does; its pictures are those of the list. */
export const scenes: { readonly [S in Scene]: (album: Album<SubjectOf<S>>) => Promise<void> } = {
  firstLook,
  tour,
  turn,
  worktrees,
  agents,
  sideBarChat,
  manySessions,
  highContrast,
  untrusted,
  gateway,
  pagesEmpty,
  pagesOfActivity,
  pagesOfAccess,
  pagesOfBackends,
};
